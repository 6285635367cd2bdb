using HybridCaching.Benchmarks.Contestants;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks.Quick;

/// <summary>Reading and overwriting entries that are there already.</summary>
internal static class LoadedCells
{
    public const int Entries = 1_000_000;
    public const int HotKeys = 1_000;

    private const int Windows = 4;

    /// <summary>1,000 keys of the oldest tenth, half of the data in memory.</summary>
    public static IEnumerable<Cell> QueryHot(WorkerTeam one, WorkerTeam six)
    {
        long[] entries = Keys.All(Entries, KeyOrder.Sequential);
        long[] keys = Keys.Hot(Entries, HotKeys, Entries);
        using var dictionary = new LoadedContestant(DictionaryContestant.Default(), entries, one);
        using var cache = new LoadedContestant(CacheContestant.At(Entries, MemoryShare.Parse("50%")), entries, one);
        return Compare("query hot 50%", dictionary, "CD()", cache, Operations.Read, keys, HotKeys, one, six);
    }

    /// <summary>Keys of all entries, with the memory that the dictionary takes.</summary>
    public static IEnumerable<Cell> QueryAll(WorkerTeam one, WorkerTeam six, long memoryOfDictionary)
    {
        long[] entries = Keys.All(Entries, KeyOrder.Sequential);
        long[] keys = Keys.Uniform(Entries, Windows * Entries);
        using var dictionary = new LoadedContestant(DictionaryContestant.Default(), entries, one);
        using var cache = new LoadedContestant(CacheContestant.OnDisk(memoryOfDictionary, Budgets.Disk(Entries)), entries, one);
        dictionary.Settle(one, Operations.Read, keys);
        cache.Settle(one, Operations.Read, keys);
        return Compare("query all equal-memory", dictionary, "CD()", cache, Operations.Read, keys, HotKeys, one, six);
    }

    /// <summary>Every key once more in random order, a tenth of the data in memory.</summary>
    public static IEnumerable<Cell> SetRandom(WorkerTeam one)
    {
        long[] entries = Keys.All(Entries, KeyOrder.Random);
        var tenth = MemoryShare.Parse("10%");
        using var store = new LoadedContestant(new StoreContestant<Payload>(Budgets.Store(Entries, tenth), workers: 1), entries, one);
        using var cache = new LoadedContestant(CacheContestant.At(Entries, tenth), entries, one);
        return Compare("set rnd 10%", store, "FasterKV", cache, Operations.Overwrite, Keys.Uniform(Entries, Windows * Entries), atLeast: Entries / 10, one);
    }

    /// <summary>Reads, then writes, of entries in memory, beside a raw store with the settings that the library derives for itself.</summary>
    public static IEnumerable<Cell> InMemory(WorkerTeam one)
    {
        long[] entries = Keys.All(Entries, KeyOrder.Random);
        long[] keys = Keys.Uniform(Entries, Windows * Entries);
        using var store = new LoadedContestant(new StoreContestant<HeadedPayload>(SameSettings.InMemory(Entries), workers: 1), entries, one);
        using var cache = new LoadedContestant(CacheContestant.At(Entries, MemoryShare.Parse(MemoryShare.MemoryOnlyText)), entries, one);
        return
        [
            .. Compare("get in memory", store, "FasterKV same settings", cache, Operations.Read, keys, atLeast: Entries / 4, one),
            .. Compare("set in memory", store, "FasterKV same settings", cache, Operations.Overwrite, keys, atLeast: Entries / 4, one),
        ];
    }

    private static List<Cell> Compare(
        string question, LoadedContestant theirs, string denominator, LoadedContestant ours, Operation operation, long[] keys, int atLeast, params WorkerTeam[] teams)
    {
        var cells = new List<Cell>();
        foreach (var team in teams)
        {
            double[][] figures = Paired.Measure(theirs.Prepare(team, operation, keys, atLeast, Entries), ours.Prepare(team, operation, keys, atLeast, Entries));
            cells.Add(new Cell($"{question} {team.Workers}t", denominator, figures[1], figures[0]));
        }

        return cells;
    }
}
