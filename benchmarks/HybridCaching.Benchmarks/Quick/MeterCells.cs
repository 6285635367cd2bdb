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

    private static readonly TimeSpan Duration = TimeSpan.FromSeconds(1);

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

        var plain = ours.Prepare(one, read, hot, HotKeys, hot.Length);
        var unpublished = theirs.Prepare(one, read, hot, HotKeys, hot.Length);
        double[][] figures = Paired.Measure(() => Long(plain), () => Watched(plain), () => Long(plain), () => Long(unpublished));
        return
        [
            new Cell($"{question}, a meter attached", 1, "nobody listening", figures[1], figures[0], MostWhenListening),
            new Cell($"{question}, nobody listening", 1, "no meter", figures[2], figures[3], MostWhenNot),
        ];
    }

    private static Outcome Watched(Func<Outcome> run)
    {
        using var collector = new MeterCollector();
        return Long(run);
    }

    /// <summary>Long enough for many collections.</summary>
    private static Outcome Long(Func<Outcome> run)
    {
        var sum = new Outcome();
        while (sum.Elapsed < Duration)
        {
            var part = run();
            sum = new Outcome(sum.Elapsed + part.Elapsed, sum.Asked + part.Asked, sum.Completed + part.Completed);
        }

        return sum;
    }
}
