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
            () => Add(DictionaryContestant.Sized(Entries)),
            () => Add(DictionaryContestant.Default()),
            () => Add(new StoreContestant<Payload>(Budgets.Store(Entries, tenth), team.Workers)),
            () => Add(CacheContestant.At(Entries, tenth)),
            () => Add(new StoreContestant<Payload>(Budgets.Store(Entries, whole), team.Workers)),
            () => Add(CacheContestant.At(Entries, whole)));
        string prefix = $"add {(order == KeyOrder.Sequential ? "seq" : "rnd")}";
        return
        [
            new Cell($"{prefix} 10% {team.Workers}t", "CD(1,N)", figures[3], figures[0]),
            new Cell($"{prefix} 10% {team.Workers}t", "CD()", figures[3], figures[1]),
            new Cell($"{prefix} 10% {team.Workers}t", "FasterKV", figures[3], figures[2]),
            new Cell($"{prefix} 100% {team.Workers}t", "CD(1,N)", figures[5], figures[0]),
            new Cell($"{prefix} 100% {team.Workers}t", "CD()", figures[5], figures[1]),
            new Cell($"{prefix} 100% {team.Workers}t", "FasterKV", figures[5], figures[4]),
        ];

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
