using System.Globalization;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks.Quick;

/// <summary>The paired comparisons of the cache of bytes, in <c>benchmarks/results/bytes.md</c>.</summary>
internal sealed class BytesRun(ResultFiles results)
{
    public const string Command = "bytes";

    /// <returns>0; 1 when a contestant answered wrongly or did not do its work.</returns>
    public int Run()
    {
        string sizes = string.Create(
            CultureInfo.InvariantCulture,
            $"text keys of 15 to 20 characters; get and set: {ByteCells.Entries:N0} entries of 1 KiB, hot = {ByteCells.HotKeys:N0} keys of the oldest tenth; median of 3 paired repetitions [min-max of their ratios]; below 1 ours is faster. MemoryDistributedCache neither copies values nor knows writers: it keeps the array it is given and hands it out again");
        var page = new QuickPage("Bytes by text key", Command, sizes);
        using var one = new WorkerTeam(1);
        using var eight = new WorkerTeam(8);
        page.Collect(DiskEntryFigures.Measure); // before others leave their garbage
        page.Collect(() => ByteStormFigures.Measure(eight));
        page.Collect(CollectionCells.Measure);
        page.Collect(() => ByteCells.Read(one));
        page.Collect(() => ByteCells.Set(eight));
        page.Collect(() => AllocationFigures.Measure(one));
        using (var redis = RedisServer.TryStart())
        {
            if (redis is null) page.Collect(static () => [new Figure("one mask over 100,000 keys / Redis SCAN MATCH", "≤ 0.10", "not measured: redis-server is missing")]);
            else page.Collect(() => ScanCells.Measure(redis));
        }

        return page.TryWrite(results) ? 0 : 1;
    }
}
