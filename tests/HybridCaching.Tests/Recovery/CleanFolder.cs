using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Recovery;

/// <summary>The folder of a cache that was closed properly, made once for a class of tests that each damage a copy of it.</summary>
/// <remarks>Keys ending in 3 were removed, keys ending in 7 overwritten. Most entries do not fit into the memory of a cache that opens it.</remarks>
public sealed class CleanFolder : IDisposable
{
    public const int Entries = 60_000;
    public const int Alive = Entries / 10 * 9;

    private readonly TestDirectory _directory = new();

    public CleanFolder()
    {
        using var cache = StampCache.Open(_directory.Path);
        cache.Fill(0, Entries, version: 1);
        for (long key = 3; key < Entries; key += 10) cache.Remove(key);
        for (long key = 7; key < Entries; key += 10) cache.Set(key, Stamp.Of(key, 2));
    }

    public static Stamp? Expected(long key) => (key % 10) switch
    {
        3 => null,
        7 => Stamp.Of(key, 2),
        _ => Stamp.Of(key, 1),
    };

    /// <summary>Reads every so many keys; fails on a wrong value; returns the share of those alive that were hits.</summary>
    public static double ShareOfHits(FasterCache<long, Stamp> cache, int step = 1)
    {
        int alive = 0;
        int hits = 0;
        for (long key = 0; key < Entries; key += step)
        {
            var expected = Expected(key);
            if (expected is not null) alive++;
            if (!cache.TryGet(key, out var value)) continue;
            Assert.Equal(expected, value);
            hits++;
        }

        return hits / (double)alive;
    }

    /// <summary>Copies the folder into a directory, where a cache of that directory finds it; returns its path there.</summary>
    public string CopyTo(TestDirectory directory)
    {
        string folder = StampCache.FolderIn(directory.Path);
        StampCache.Copy(StampCache.FolderIn(_directory.Path), folder);
        return folder;
    }

    public void Dispose() => _directory.Dispose();
}
