using HybridCaching.Benchmarks.Contestants;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks.Quick;

/// <summary>Reading and storing values of 1 KiB, beside MemoryDistributedCache.</summary>
internal static class ByteCells
{
    public const int Entries = 100_000;
    public const int HotKeys = 1_000;
    public const int ValueBytes = 1024;

    private const int Count = 1_000_000;
    private const int SettlingPasses = 3;

    /// <summary>More data than memory, so that there is a hot tier.</summary>
    private const long MemoryBudget = 64 << 20;

    public static IEnumerable<Cell> Read(WorkerTeam one)
    {
        var entries = new ByteEntries(Entries, ValueBytes);
        long[] all = Keys.All(Entries, KeyOrder.Sequential);
        long[] hot = Keys.Hot(Entries, HotKeys, Count);
        using var theirs = new LoadedContestant(DistributedContestant.OfMicrosoft(entries), all, one);
        using var ours = Hot(entries, all, hot, one);
        theirs.Settle(one, Operations.Read, hot);
        return
        [
            .. LoadedCells.Compare("hot hit into an IBufferWriter, 1 KiB", theirs, $"{DistributedContestant.Memory}.Get", ours, Operations.ReadIntoWriter, Operations.Read, hot, HotKeys, target: 1.0, one),
            .. LoadedCells.Compare("hot hit as byte[], 1 KiB", theirs, $"{DistributedContestant.Memory}.Get", ours, Operations.Read, Operations.Read, hot, HotKeys, target: 1.3, one),
            .. LoadedCells.Compare("only a new byte[] with a copy, 1 KiB", theirs, $"{DistributedContestant.Memory}.Get", ours, Copy, Operations.Read, hot, HotKeys, target: null, one),
        ];

        // What no cache that hands out private copies can do without.
        int Copy(IContestant contestant, int worker, ReadOnlySpan<long> keys)
        {
            foreach (long key in keys) ValueStamp.Check(key, entries.Value(key).AsSpan().ToArray());
            return keys.Length;
        }
    }

    /// <summary>Entries that are there already, all in memory, stored again.</summary>
    public static IEnumerable<Cell> Set(WorkerTeam eight)
    {
        var entries = new ByteEntries(Entries, ValueBytes);
        long[] all = Keys.All(Entries, KeyOrder.Sequential);
        long[] keys = Keys.Uniform(Entries, Count);
        using var theirs = new LoadedContestant(DistributedContestant.OfMicrosoft(entries), all, eight);
        using var ours = new LoadedContestant(DistributedContestant.InMemory(entries), all, eight);
        theirs.Settle(eight, Operations.Overwrite, keys);
        ours.Settle(eight, Operations.Overwrite, keys);
        return LoadedCells.Compare("Set, 1 KiB", theirs, $"{DistributedContestant.Memory}.Set", ours, Operations.Overwrite, Operations.Overwrite, keys, Entries / 4, target: 1.5, eight);
    }

    /// <summary>The library's cache with its hot tier in place, read both ways.</summary>
    private static LoadedContestant Hot(ByteEntries entries, long[] all, long[] hot, WorkerTeam one)
    {
        var loaded = new LoadedContestant(NewHot(entries), all, one);
        for (int pass = 0; pass < SettlingPasses; pass++)
        {
            loaded.Settle(one, Operations.Read, hot);
            loaded.Settle(one, Operations.ReadIntoWriter, hot);
        }

        return loaded;
    }

    public static DistributedContestant NewHot(ByteEntries entries) => DistributedContestant.OnDisk(entries, MemoryBudget);
}
