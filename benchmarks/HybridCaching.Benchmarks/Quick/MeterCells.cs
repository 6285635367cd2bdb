using HybridCaching.Benchmarks.Contestants;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks.Quick;

/// <summary>Hot hits of a cache that nobody watches, of one whose meter is collected, and of one that publishes nothing at all.</summary>
internal static class MeterCells
{
    public const int HotKeys = 1_000;

    private const int TypedEntries = 1_000_000;
    private const double MostWhenListening = 1.05;
    private const double MostWhenNot = 1.02;

    public static IEnumerable<Cell> Typed(WorkerTeam one)
    {
        var half = MemoryShare.Parse("50%");
        long[] all = Keys.All(TypedEntries, KeyOrder.Sequential);
        long[] hot = Keys.Hot(TypedEntries, HotKeys, TypedEntries);
        var silent = LongCache.At(TypedEntries, half);
        silent.Cache.Instruments.Dispose();
        return Compare("hot TryGet", LongCache.At(TypedEntries, half), silent, Operations.Read, all, hot, one);
    }

    public static IEnumerable<Cell> Bytes(WorkerTeam one)
    {
        var entries = new ByteEntries(ByteCells.Entries, ByteCells.ValueBytes);
        long[] all = Keys.All(ByteCells.Entries, KeyOrder.Sequential);
        long[] hot = Keys.Hot(ByteCells.Entries, HotKeys, TypedEntries);
        var silent = ByteCells.NewHot(entries);
        silent.Cache!.Instruments.Dispose();
        return Compare("hot TryGet of bytes", ByteCells.NewHot(entries), silent, Operations.ReadIntoWriter, all, hot, one);
    }

    private static List<Cell> Compare(string question, IContestant watchable, IContestant silent, Operation read, long[] all, long[] hot, WorkerTeam one)
    {
        using var ours = new LoadedContestant(watchable, all, one);
        using var theirs = new LoadedContestant(silent, all, one);
        for (int pass = 0; pass < 3; pass++)
        {
            ours.Settle(one, read, hot);
            theirs.Settle(one, read, hot);
        }

        Operation watched = (contestant, worker, keys) =>
        {
            using var collector = new MeterCollector();
            return read(contestant, worker, keys);
        };
        return
        [
            .. LoadedCells.Compare($"{question}, a meter attached", ours, "nobody listening", ours, watched, read, hot, HotKeys, MostWhenListening, one),
            .. LoadedCells.Compare($"{question}, nobody listening", theirs, "no meter", ours, read, read, hot, HotKeys, MostWhenNot, one),
        ];
    }
}
