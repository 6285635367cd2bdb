namespace HybridCaching.Benchmarks.Workloads;

/// <summary>Sequences of keys, the same in every process and on every machine.</summary>
internal static class Keys
{
    private const int Seed = 20240229;

    /// <summary>The skew of YCSB.</summary>
    public const double UsualSkew = 0.99;

    /// <summary>Every key from 0 to <paramref name="count"/> - 1 once.</summary>
    public static long[] All(int count, KeyOrder order)
    {
        long[] keys = new long[count];
        for (int i = 0; i < count; i++) keys[i] = i;
        if (order == KeyOrder.Random) new Random(Seed).Shuffle(keys);
        return keys;
    }

    /// <summary>So many keys drawn with equal chances from 0 to <paramref name="entries"/> - 1.</summary>
    public static long[] Uniform(int entries, int count)
    {
        var random = new Random(Seed + 1);
        long[] keys = new long[count];
        for (int i = 0; i < count; i++) keys[i] = random.Next(entries);
        return keys;
    }

    /// <summary>A few keys drawn from the first tenth of all, over and over again.</summary>
    public static long[] Hot(int entries, int distinct, int count)
    {
        long[] drawn = Uniform(entries / 10, distinct);
        long[] keys = new long[count];
        for (int i = 0; i < count; i++) keys[i] = drawn[i % distinct];
        return keys;
    }

    /// <summary>Keys drawn with the skew that YCSB uses; the popular ones lie scattered over all keys.</summary>
    public static long[] Zipf(int entries, int count, double skew)
    {
        long[] keyOfRank = All(entries, KeyOrder.Random);
        var ranks = new ZipfRanks(entries, skew, new Random(Seed + 2));
        long[] keys = new long[count];
        for (int i = 0; i < count; i++) keys[i] = keyOfRank[ranks.Next()];
        return keys;
    }

    /// <summary>Keys drawn from so many different ones, which are scattered over all.</summary>
    public static long[] Among(int entries, int distinct, int count)
    {
        long[] scattered = All(entries, KeyOrder.Random);
        long[] keys = Uniform(distinct, count);
        for (int i = 0; i < count; i++) keys[i] = scattered[keys[i]];
        return keys;
    }

    /// <summary>Keys that are chosen in such a way.</summary>
    public static long[] Chosen(KeyChoice choice, int entries, int count) => choice switch
    {
        KeyChoice.Uniform => Uniform(entries, count),
        KeyChoice.Zipf => Zipf(entries, count, UsualSkew),
        KeyChoice.Hot => Among(entries, entries / 10, count),
        _ => Repeated(entries, count),
    };

    /// <summary>Turns all but so many percent of the draws into writes, see <see cref="Contestants.IContestant.Mix"/>. Which ones is drawn too.</summary>
    public static long[] Mixed(long[] keys, int readPercent)
    {
        var random = new Random(Seed + 4);
        return Array.ConvertAll(keys, key => random.Next(100) < readPercent ? key : ~key);
    }

    /// <summary>Turns every second draw into a write, see <see cref="Contestants.IContestant.Mix"/>.</summary>
    public static long[] ByTurns(long[] keys) => [.. keys.Select(static (key, i) => (i & 1) == 0 ? key : ~key)];

    /// <summary>So many keys from the whole range of their type.</summary>
    public static long[] Scattered(int count)
    {
        var random = new Random(Seed + 3);
        long[] keys = new long[count];
        for (int i = 0; i < count; i++) keys[i] = random.NextInt64();
        return keys;
    }

    /// <summary>About <paramref name="count"/> of the keys, evenly spread over the sequence.</summary>
    public static long[] Sample(long[] keys, int count)
    {
        int step = Math.Max(1, keys.Length / count);
        return [.. keys.Where((_, i) => i % step == 0)];
    }

    private static long[] Repeated(int entries, int count)
    {
        long[] keys = new long[count];
        for (int i = 0; i < count; i++) keys[i] = i % entries;
        return keys;
    }
}
