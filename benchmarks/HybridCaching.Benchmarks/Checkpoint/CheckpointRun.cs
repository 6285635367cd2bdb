using System.Globalization;
using HybridCaching.Benchmarks.Quick;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks.Checkpoint;

/// <summary>What a get takes while the cache is written out, beside what it takes otherwise, in <c>benchmarks/results/checkpoint.md</c>.</summary>
internal sealed class CheckpointRun(ResultFiles results)
{
    public const string Command = "checkpoint";

    private const int Rounds = 7;
    private const int WarmUps = 2;
    private static readonly TimeSpan Never = TimeSpan.FromDays(1);
    private static readonly TimeSpan AsOftenAsCanBe = TimeSpan.FromMilliseconds(250);

    /// <returns>0; 1 when a value was wrong.</returns>
    public int Run()
    {
        string sizes = string.Create(
            CultureInfo.InvariantCulture,
            $"{BusyCache.Entries:N0} records of 1 KiB, MemoryBudget {BusyCache.Memory}, DiskBudget {BusyCache.Disk}; a thread reads one after the other (hot: out of {BusyCache.HotEntries:N0}; all: out of all), another one overwrites {BusyCache.SetsPerSecond:N0} a second; windows of {BusyCache.Duration.TotalSeconds} s, without and with, in turns, {Rounds} times; median of the ratios [min-max] (medians of both in µs)");
        var page = new QuickPage("Gets while the cache is written out", Command, sizes);
        page.Collect(Measure);
        return page.TryWrite(results) ? 0 : 1;
    }

    private static IEnumerable<Figure> Measure()
    {
        foreach (var io in (DiskIo[])[DiskIo.Buffered, DiskIo.Direct])
        {
            using var quiet = new BusyCache(io, Never);
            using var writing = new BusyCache(io, AsOftenAsCanBe);
            foreach (int keys in (int[])[BusyCache.HotEntries, BusyCache.Entries])
            {
                foreach (var figure in Compare($"{(keys == BusyCache.Entries ? "all" : "hot")}, {io}", keys, quiet, writing)) yield return figure;
            }

            yield return OfStop($"all, {io}: the longest get at the checkpoint of a host that stops, in ms", quiet, BusyCache.Entries);
            yield return OfStop($"hot, {io}: the same", quiet, BusyCache.HotEntries);
        }
    }

    private static IEnumerable<Figure> Compare(string what, int keys, BusyCache quiet, BusyCache writing)
    {
        Round[] rounds = [.. Enumerable.Range(0, Rounds + WarmUps).Select(_ => new Round(
            quiet.Read(keys, null),
            quiet.Read(keys, () => quiet.FlushAsync().AsTask()),
            writing.Read(keys, null),
            quiet.Read(keys, null))).Skip(WarmUps)];
        foreach (var figure in Of($"{what}: FlushAsync one after the other", "≤ 2.00", rounds, round => round.Flushing)) yield return figure;
        foreach (var figure in Of($"{what}: CheckpointInterval a quarter of a second", "≤ 2.00", rounds, round => round.WritingOut)) yield return figure;
        foreach (var figure in Of($"{what}: without, once more", "", rounds, round => round.Again)) yield return figure;
    }

    /// <summary>Whoever needs the log then waits for the checkpoint; what comes from the hot tier does not.</summary>
    private static Figure OfStop(string what, BusyCache cache, int keys)
    {
        var longest = Spread.Of(Enumerable.Range(0, Rounds).Select(_ => cache.Read(keys, CheckpointOnce(cache)).MaxMicroseconds / 1000));
        return new Figure(what, "", longest.ToString());
    }

    private static Func<Task> CheckpointOnce(BusyCache cache)
    {
        Task? checkpoint = null;
        return () => checkpoint is null ? checkpoint = cache.CheckpointAsync() : Task.Delay(BusyCache.Duration);
    }

    private static IEnumerable<Figure> Of(string what, string target, Round[] rounds, Func<Round, Latencies> with)
    {
        yield return Of($"{what}: p50", "", t => t.Microseconds(50));
        yield return Of($"{what}: p99", target, t => t.Microseconds(99));
        yield return Of($"{what}: p99.9", "", t => t.Microseconds(99.9));
        yield return Of($"{what}: longest", "", t => t.MaxMicroseconds);

        Figure Of(string what, string target, Func<Latencies, double> figure)
        {
            double[] ours = [.. rounds.Select(round => figure(with(round)))], theirs = [.. rounds.Select(round => figure(round.Without))];
            return new Figure(what, target, string.Create(CultureInfo.InvariantCulture, $"{Spread.OfRatios(ours, theirs)} ({Spread.Of(ours).Median:N2} / {Spread.Of(theirs).Median:N2})"));
        }
    }

    /// <summary>Windows one after the other.</summary>
    /// <param name="Without">Nothing is written out but what leaves memory.</param>
    /// <param name="Flushing">One <c>FlushAsync</c> after the other.</param>
    /// <param name="WritingOut">In the cache with a short <c>CheckpointInterval</c>.</param>
    /// <param name="Again">As the first, to see by how much two windows differ.</param>
    private sealed record Round(Latencies Without, Latencies Flushing, Latencies WritingOut, Latencies Again);
}
