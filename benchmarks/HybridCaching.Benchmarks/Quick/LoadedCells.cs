using HybridCaching.Benchmarks.Contestants;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks.Quick;

/// <summary>Reading and overwriting entries that are there already.</summary>
internal static class LoadedCells
{
    public const int Entries = 1_000_000;
    public const int HotKeys = 1_000;

    private const int Windows = 4;
    private const string Default = "CD()";

    /// <summary>A cache has divided its memory for what is read after five to eight seconds.</summary>
    private static TimeSpan SettlingTime => TimeSpan.FromSeconds(Paired.IsQuick ? 2 : 10);

    /// <summary>How many entries a measurement overwrites. It begins with a heap that has just been collected, and who leaves garbage shall pay for it, too.</summary>
    private static int Overwrites => Paired.IsQuick ? Entries / 2 : Windows * Entries;

    /// <summary>1,000 keys of the oldest tenth, half of the data in memory.</summary>
    public static IEnumerable<Cell> QueryHot(WorkerTeam one, WorkerTeam six)
    {
        var half = MemoryShare.Parse("50%");
        long[] keys = Keys.Hot(Entries, HotKeys, Entries);
        return
        [
            .. Query("query hot 50% long", LongDictionary.Default(), LongCache.At(Entries, half), keys, target: 2.5, one, six),
            .. Query("query hot 50% Guid", GuidDictionary.Default(), GuidCache.At(Entries, half), keys, target: 1.3, one, six),
        ];
    }

    /// <summary>Keys of all entries, with the memory that the dictionary takes.</summary>
    public static IEnumerable<Cell> QueryAll(WorkerTeam one, WorkerTeam six)
    {
        long[] keys = Keys.Uniform(Entries, 2 * Windows * Entries);
        return
        [
            .. Query("query all equal-memory long", LongDictionary.Default(), LongCache.OnDisk(LongDictionary.MeasureMemory(Entries), Budgets.Disk(Entries, EntrySizes.Usual)), keys, target: 2.0, one, six),
            .. Query("query all equal-memory Guid", GuidDictionary.Default(), GuidCache.OnDisk(GuidDictionary.MeasureMemory(Entries), Budgets.Disk(Entries, new(16, 32))), keys, target: 1.2, one, six),
        ];
    }

    /// <summary>Entries that are there already, all in memory: stored again, counted up, or read and stored by turns.</summary>
    public static IEnumerable<Cell> Overwrite(WorkerTeam one, WorkerTeam six)
    {
        const int Few = 100_000;
        long[] popular = Keys.Zipf(Entries, Windows * Entries, Keys.UsualSkew);
        return
        [
            .. InMemory("overwrite 1 M", Entries, Operations.Overwrite, Keys.Uniform(Entries, Windows * Entries), target: 1.0, one, six),
            .. InMemory("overwrite 100 k", Few, Operations.Overwrite, Keys.Uniform(Few, Windows * Entries), target: 1.5, one, six),
            .. InMemory("AddOrUpdate counters zipf", Entries, Operations.ReadModifyWrite, popular, target: 1.2, six),
            .. InMemory("get and set by turns zipf", Entries, Operations.Mix, Keys.ByTurns(popular), target: 1.1, six),
        ];

        static List<Cell> InMemory(string question, int entries, Operation operation, long[] keys, double target, params WorkerTeam[] teams)
        {
            long[] all = Keys.All(entries, KeyOrder.Random);
            using var dictionary = new LoadedContestant(LongDictionary.Default(), all, teams[0]);
            using var cache = new LoadedContestant(LongCache.At(entries, MemoryShare.Parse(MemoryShare.MemoryOnlyText)), all, teams[0]);
            return Compare(question, dictionary, Default, cache, operation, keys, atLeast: Overwrites, target, teams);
        }
    }

    /// <summary>SetMany in batches of 256, beside Set one by one.</summary>
    public static IEnumerable<Cell> SetMany(WorkerTeam one)
    {
        long[] entries = Keys.All(Entries, KeyOrder.Random);
        using var cache = new LoadedContestant(LongCache.At(Entries, MemoryShare.Parse(MemoryShare.MemoryOnlyText)), entries, one);
        return Compare("SetMany rnd in memory", cache, "Set", cache, Operations.SetMany, Operations.Overwrite, Keys.Uniform(Entries, Windows * Entries), atLeast: Entries / 4, target: 0.85, one);
    }

    private static List<Cell> Query(string question, IContestant theirs, IContestant ours, long[] keys, double target, WorkerTeam one, WorkerTeam six)
    {
        long[] entries = Keys.All(Entries, KeyOrder.Sequential);
        using var dictionary = new LoadedContestant(theirs, entries, one);
        using var cache = new LoadedContestant(ours, entries, one);
        dictionary.Settle(one, Operations.Read, keys);
        cache.Settle(one, Operations.Read, keys, SettlingTime);
        return Compare(question, dictionary, Default, cache, Operations.Read, keys, atLeast: HotKeys, target, one, six);
    }

    /// <summary>Every key once more in random order, a tenth of the data in memory.</summary>
    public static IEnumerable<Cell> SetRandom(WorkerTeam one)
    {
        long[] entries = Keys.All(Entries, KeyOrder.Random);
        var tenth = MemoryShare.Parse("10%");
        using var store = new LoadedContestant(new LongStore(Budgets.Store(Entries, tenth), workers: 1), entries, one);
        using var cache = new LoadedContestant(LongCache.At(Entries, tenth), entries, one);
        return Compare("set rnd 10%", store, "FasterKV", cache, Operations.Overwrite, Keys.Uniform(Entries, Windows * Entries), atLeast: Entries / 10, target: null, one);
    }

    /// <summary>Reads, then writes, of entries in memory, beside a raw store with the settings that the library derives for itself.</summary>
    public static IEnumerable<Cell> InMemory(WorkerTeam one)
    {
        long[] entries = Keys.All(Entries, KeyOrder.Random);
        long[] keys = Keys.Uniform(Entries, Windows * Entries);
        using var store = new LoadedContestant(new StoreContestant<long, LongKeys, HeadedPayload>(SameSettings.InMemory(Entries), workers: 1), entries, one);
        using var cache = new LoadedContestant(LongCache.At(Entries, MemoryShare.Parse(MemoryShare.MemoryOnlyText)), entries, one);
        return
        [
            .. Compare("get in memory", store, "FasterKV same settings", cache, Operations.Read, keys, atLeast: Entries / 4, target: 1.15, one),
            .. Compare("set in memory", store, "FasterKV same settings", cache, Operations.Overwrite, keys, atLeast: Entries / 4, target: 1.15, one),
        ];
    }

    private static List<Cell> Compare(
        string question, LoadedContestant theirs, string denominator, LoadedContestant ours, Operation operation, long[] keys, int atLeast, double? target, params WorkerTeam[] teams) =>
        Compare(question, theirs, denominator, ours, operation, operation, keys, atLeast, target, teams);

    /// <summary>One operation of ours beside one of theirs, with as many threads as each team has.</summary>
    public static List<Cell> Compare(
        string question, LoadedContestant theirs, string denominator, LoadedContestant ours, Operation our, Operation their, long[] keys, int atLeast, double? target, params WorkerTeam[] teams)
    {
        int atMost = Math.Max(atLeast, Entries);
        var cells = new List<Cell>();
        foreach (var team in teams)
        {
            double[][] figures = Paired.Measure(team.Workers, out double? handOver, theirs.Prepare(team, their, keys, atLeast, atMost), ours.Prepare(team, our, keys, atLeast, atMost));
            cells.Add(new Cell(question, team.Workers, denominator, figures[1], figures[0], target, handOver));
        }

        return cells;
    }
}
