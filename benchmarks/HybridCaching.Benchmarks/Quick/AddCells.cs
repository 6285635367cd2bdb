using HybridCaching.Benchmarks.Contestants;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks.Quick;

/// <summary>Adding new entries: into the cache at 10 % and at 100 % of the data in memory, into both dictionaries and into a raw store with as much memory.</summary>
internal static class AddCells
{
    public const int Entries = 1_000_000;

    private const int Sample = 1_000;

    public static IEnumerable<Cell> Measure(KeyOrder order, WorkerTeam team)
    {
        long[] keys = Keys.All(Entries, order);
        long[] sample = Keys.Sample(keys, Sample);
        var tenth = MemoryShare.Parse("10%");
        var whole = MemoryShare.Parse("100%");
        double[][] figures = Paired.Measure(
            team.Workers,
            out double? handOver,
            () => Add(LongDictionary.Sized(Entries)),
            () => Add(LongDictionary.Default()),
            () => Add(new LongStore(Budgets.Store(Entries, tenth), team.Workers)),
            () => Add(LongCache.At(Entries, tenth)),
            () => Add(new LongStore(Budgets.Store(Entries, whole), team.Workers)),
            () => Add(LongCache.At(Entries, whole)));
        bool isSequential = order == KeyOrder.Sequential;
        bool isAlone = team.Workers == 1;
        double sized = (isSequential, isAlone) switch
        {
            (true, true) => 1.7,
            (true, false) => 1.5,
            (false, true) => 1.4,
            (false, false) => 1.0,
        };
        return [.. Compare("10%", figures[3], figures[2]), .. Compare("100%", figures[5], figures[4])];

        IEnumerable<Cell> Compare(string share, double[] ours, double[] store)
        {
            string question = $"add {(isSequential ? "seq" : "rnd")} {share}";
            yield return new Cell(question, team.Workers, "CD(1,N)", ours, figures[0], sized, handOver);
            yield return new Cell(question, team.Workers, "CD()", ours, figures[1], 1.0, handOver);
            yield return new Cell(question, team.Workers, "FasterKV", ours, store, isSequential ? 1.0 : 1.3, handOver);
        }

        Outcome Add(IContestant contestant)
        {
            using (contestant)
            {
                var outcome = team.Run(contestant, Operations.Add, keys).EnsureComplete(contestant.Name);
                team.Run(contestant, Operations.Read, sample).EnsureComplete(contestant.Name);
                return outcome;
            }
        }
    }
}
