using HybridCaching.Benchmarks.Contestants;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks.Quick;

/// <summary>Runs all that will be measured on few entries, until the runtime has compiled it with full optimisation.</summary>
internal static class WarmUp
{
    private const int Entries = 150_000;
    private const int Rounds = 2;

    /// <summary>More than the delay after which the runtime compiles again what was called often.</summary>
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(250);

    public static void Run(WorkerTeam team)
    {
        long[] keys = Keys.All(Entries, KeyOrder.Random);
        for (int round = 0; round < Rounds; round++)
        {
            Exercise(LongDictionary.Sized(Entries));
            Exercise(LongDictionary.Default());
            Exercise(new LongStore(Budgets.Store(Entries, MemoryShare.Parse("100%")), team.Workers));
            Exercise(new StoreContestant<long, LongKeys, HeadedPayload>(SameSettings.InMemory(Entries), team.Workers));
            Exercise(LongCache.At(Entries, MemoryShare.Parse("100%")));
            Exercise(LongCache.At(Entries, MemoryShare.Parse(MemoryShare.MemoryOnlyText)));
            Thread.Sleep(Pause);
        }

        void Exercise(IContestant contestant)
        {
            using (contestant)
            {
                team.Run(contestant, Operations.Add, keys);
                team.Run(contestant, Operations.Overwrite, keys);
                team.Run(contestant, Operations.Read, keys.AsMemory(Entries / 2));
            }
        }
    }
}
