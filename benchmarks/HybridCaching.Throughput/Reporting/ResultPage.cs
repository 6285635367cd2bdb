using System.Globalization;
using System.Text;
using HybridCaching.Throughput.Cells;
using HybridCaching.Throughput.Contestants;
using HybridCaching.Throughput.Workloads;

namespace HybridCaching.Throughput.Reporting;

/// <summary>The page of results.</summary>
internal sealed class ResultPage(IReadOnlyList<Measurement> measurements)
{
    private readonly StringBuilder _text = new();

    private delegate double Figure(Measurement measurement);

    /// <param name="facts">Where it comes from, a line each.</param>
    /// <param name="plots">File names of pictures, with what they show.</param>
    public string Write(IEnumerable<string> facts, IEnumerable<(string Title, string File)> plots)
    {
        _text.Append("# Throughput and latency\n\n");
        foreach (string fact in facts) _text.Append($"- {fact}\n");
        _text.Append('\n');
        AppendTargets();
        foreach (var (title, file) in plots) _text.Append($"![{title}]({file})\n\n");
        foreach (var part in measurements.GroupBy(each => (each.Part, each.Conditions))) AppendPart(part.Key.Part, part.Key.Conditions, [.. part]);
        AppendConditions();
        AppendSettings();
        return _text.ToString();
    }

    private void AppendTargets()
    {
        var judged = Target.All.SelectMany(target => target.Judge(measurements).Select(each => (Target: target, each.Workload, each.DataRatio, each.Clients, each.Ratio))).ToArray();
        if (judged.Length == 0) return;
        _text.Append("## Targets\n\nRatios of what was measured in the same repeat: median [min-max]. **Bold** misses its target. In the last column but one the same ratio for `bound`, which is no store: what nobody can do better than with this memory and this disk. The last: of our gets, those that found nothing any more, and so did not have to read.\n\n| figure | data / memory | clients | workload | target | ratio | bound | misses % |\n|---|---:|---:|---|---:|---:|---:|---:|\n");
        foreach (var (target, workload, dataRatio, clients, ratio) in judged)
        {
            string mark = target.IsMet(ratio) ? "" : "**";
            _text.Append(CultureInfo.InvariantCulture, $"| {target.Figure}, {target.Ours} / {target.Other} | {dataRatio} | {clients} | {workload} | {target.Wanted} | {mark}{ratio}{mark} | {target.BoundOf(measurements, workload, dataRatio, clients)} | {target.MissesOf(measurements, workload, dataRatio, clients):N2} |\n");
        }

        _text.Append("\n## Where we lose\n\n");
        var lost = judged.Where(each => each.Target.IsLatency ? each.Ratio.Median > 1 : each.Ratio.Median < 1).ToArray();
        foreach (var (target, workload, dataRatio, clients, ratio) in lost)
            _text.Append(CultureInfo.InvariantCulture, $"- {target.Ours} is {(target.IsLatency ? "later" : "slower")} than {target.Other} on {workload} with data {dataRatio} times memory and {clients} clients: {target.Figure} {ratio.Median:N2} of theirs.\n");
        AppendOtherLosses();
        foreach (var (target, workload, dataRatio, clients, ratio) in judged.Except(lost).Where(each => !each.Target.IsMet(each.Ratio)))
            _text.Append(CultureInfo.InvariantCulture, $"- Ahead of {target.Other}, but less than we want: {target.Ours}, {workload} with data {dataRatio} times memory and {clients} clients, {target.Figure} {ratio.Median:N2} of theirs, wanted {target.Wanted}.\n");
        _text.Append('\n');
    }

    /// <summary>Where nothing was aimed at, we may be behind all the same.</summary>
    private void AppendOtherLosses()
    {
        foreach (var (part, ours, other) in Target.Rivals)
        {
            foreach (var (workload, dataRatio, clients, ratio) in new Target(part, Target.AllWorkloads, ours, other, Limit: 1).Judge(measurements).Where(each => each.Ratio.Median < 1 && !Target.Has(part, each.Workload, ours, other)))
                _text.Append(CultureInfo.InvariantCulture, $"- {ours} is slower than {other} {(workload == Measurement.Filling ? "at filling" : $"on {workload}")} with data {dataRatio} times memory and {clients} clients: operations per second {ratio.Median:N2} of theirs (no target).\n");
        }
    }

    private void AppendPart(string part, Conditions conditions, Measurement[] measured)
    {
        string what = part switch
        {
            Part.Larger => "Data larger than memory, closed loop",
            Part.Many => "The same with four clients for each core",
            Part.Half => "Memory for a part of the data, beside what keeps all in memory",
            Part.Open => "At a fixed rate, latency from the time an operation should have begun",
            _ => "The peak that the fixed rate was derived from",
        };
        _text.Append(CultureInfo.InvariantCulture, $"## {what}\n\n{conditions.Entries:N0} entries, values of {conditions.ValueBytes:N0} bytes, memory {new ByteSize(conditions.Memory):H}, data {conditions.Ratio} times as much, {conditions.Threads} clients, ");
        _text.Append(CultureInfo.InvariantCulture, $"{conditions.Seconds} s after {conditions.WarmUpSeconds} s of warming up ({Conditions.SettlingWarmUps * conditions.WarmUpSeconds} s after filling, and before D and E: other entries are the popular ones then), {measured.Max(each => each.Repeat) + 1} times; medians, operations per second with [min-max]. Latencies in µs, the longest of all for max; MB are MiB.\n\n");
        foreach (var workload in measured.GroupBy(each => each.Workload).OrderBy(group => group.Key == Measurement.Filling ? -1 : Mix.All.ToList().FindIndex(mix => mix.Name == group.Key)))
        {
            string description = workload.Key == Measurement.Filling ? "each entry stored once" : Mix.Named(workload.Key).Description;
            string rate = workload.First().Rate is { } asked && workload.Key != Measurement.Filling ? string.Create(CultureInfo.InvariantCulture, $", {asked:N0} operations per second offered") : "";
            _text.Append($"**{workload.Key}** ({description}{rate})\n\n| contestant | op/s | reads p50 | p99 | p99.9 | max | writes p50 | p99 | p99.9 | max | CPU µs/op | written MB | read MB | memory growth MB | its own figure | page cache MB | disk MB | longest pause ms | pauses % | collections 0 / 1 / 2 | misses % |\n");
            _text.Append("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
            foreach (var contender in workload.GroupBy(each => each.Contender)) AppendRow([.. contender]);
            _text.Append('\n');
        }
    }

    private void AppendRow(Measurement[] repeats)
    {
        double Middle(Figure figure) => Spread.Of(repeats.Select(each => figure(each))).Median;
        string Micros(Figure figure) => Middle(figure) is > 0 and var micros ? micros.ToString(micros < 100 ? "N1" : "N0", CultureInfo.InvariantCulture) : "";
        string Megabytes(Figure figure) => (Middle(figure) / (1 << 20)).ToString("N0", CultureInfo.InvariantCulture);
        string Whole(Figure figure) => Middle(figure).ToString("N0", CultureInfo.InvariantCulture);
        string Percent(Figure figure) => Middle(figure).ToString("N2", CultureInfo.InvariantCulture);
        string Longest(Figure figure) => repeats.Max(each => figure(each)) is > 0 and var longest ? longest.ToString("N0", CultureInfo.InvariantCulture) : "";
        string[] cells =
        [
            repeats[0].Contender, Spread.Of(repeats.Select(each => each.PerSecond)).ToString(),
            Micros(m => m.Reads.P50), Micros(m => m.Reads.P99), Micros(m => m.Reads.P999), Longest(m => m.Reads.Max),
            Micros(m => m.Writes.P50), Micros(m => m.Writes.P99), Micros(m => m.Writes.P999), Longest(m => m.Writes.Max),
            Micros(m => m.CpuMicroseconds), Megabytes(m => m.WrittenBytes), Megabytes(m => m.ReadBytes), Megabytes(m => m.ResidentGrowth),
            repeats[0].MemoryInUse is null ? "" : Megabytes(m => m.MemoryInUse ?? 0), Megabytes(m => m.PageCacheBytes), Megabytes(m => m.DiskBytes),
            repeats.Max(each => each.LongestPauseMilliseconds).ToString("N1", CultureInfo.InvariantCulture), Percent(m => m.PausePercent), $"{Whole(m => m.Collections.Gen0)} / {Whole(m => m.Collections.Gen1)} / {Whole(m => m.Collections.Gen2)}", Percent(m => m.MissPercent),
        ];
        _text.Append($"| {string.Join(" | ", cells)} |\n");
    }

    private void AppendConditions()
    {
        bool isFree = measurements.Any(each => each.Conditions.PageCache == PageCacheUse.Free);
        string pageCache = isFree
            ? "All contestants use the system's page cache, as much of it as there is room for: most reads of the disk are none."
            : "The library and RocksDB read and write past it (direct I/O). FasterKV's own device, LevelDB, SQLite and LMDB cannot: for them a thread of the program looks 40 times a second how much of the page cache their files take, and throws out "
                + FormattableString.Invariant($"pages at random when that and the anonymous memory the process has grown by are more than {Conditions.GrowthTimesMemory} times the memory of a contestant, which is about what those grow by that are told their memory (at least a sixteenth of that is left to the page cache). ")
                + "The kernel would choose better than at random: with least recently used, as simulated, LMDB would read 0.33 pages from the disk for an operation of C instead of 0.41, and SQLite 0.41 instead of 0.53. What they map into memory is declared to be read at random. Filling goes through the free page cache; before the first workload it is waited until no more than that is left of it.";
        _text.Append($"""
            ## How it is measured

            - **Workloads**: YCSB's mixes A to F, Zipf 0.99 over all entries, popular ones scattered (YCSB's own generator draws from ten thousand million ranks: its popular entries are less popular, and all stores read the disk more often); keys are hashes, as text ("user" and 20 digits) where keys are bytes, as integers where they are typed. Keys are made for each call. Every value read is compared with its key; no value is stored twice.
              What is not found is stored, and counted as a miss. Only contestants that know the order of keys take part in E: the library, FasterKV, dictionary and MemoryCache do not.
            - **Closed loop**: each client begins an operation when its last one has ended. **Open loop**: operations have a time at which they begin, and latency counts from then, whether the client was free or not; until then the client sleeps, and wakes some 20 µs late, for all contestants alike.
            - **A process each**: every contestant runs in a process of its own, filled once, then, as soon as it writes next to nothing any more (for a minute at most), workloads in the order of the tables; contestants take turns within each repeat, and another one begins.
            - **Memory growth** is the most resident memory of the process (own, shared and mapped) beyond what it had before the contestant was opened; garbage of .NET is in it, of which there may be 4 MiB before it is collected (where a contestant keeps everything in memory and none is equal, as much as there is by default); that of filling is collected before the first workload. Caches and stores get the budget by their settings; what they grow by beyond it is code, fragments and garbage.
            - **Bound** has the values that are asked for most in memory from the beginning, as many as the budget holds with nothing beside them, and reads each other one with one call of the system; to overwrite what is on the disk takes it nothing. How often the disk is asked, and how long that takes, it has in common with every store; a target beyond it cannot be met here. In D, from the first new entry on, it is the newest that it has in memory, at no cost.
            - **Page cache**: {pageCache}
            - **Written and read** are bytes of the disk, as Linux counts them for the process; **disk** is the folder at the end.
            - **Pauses**: the longest time that all threads were stopped, from the runtime's events, whatever the reason, and how much of the time collections stopped them; **collections** by the oldest generation that they looked at, background ones included.


            """);
    }

    private void AppendSettings()
    {
        _text.Append("## Settings\n\n| contestant | part | settings |\n|---|---|---|\n");
        foreach (var same in measurements.GroupBy(each => (each.Contender, each.Settings))) _text.Append($"| {same.Key.Contender} | {string.Join(", ", same.Select(each => each.Part).Distinct())} | {same.Key.Settings} |\n");
    }
}
