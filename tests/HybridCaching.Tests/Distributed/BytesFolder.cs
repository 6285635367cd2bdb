using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Distributed;

/// <summary>The folder of a cache of values of all sizes that was closed properly, made once for a class of tests that each damage a copy of it.</summary>
/// <remarks>Keys ending in 3 were removed, keys ending in 7 overwritten by values of other lengths. Most of it does not fit into the memory of a cache that opens it.</remarks>
public sealed class BytesFolder : IDisposable
{
    public const int Entries = 6_000;
    public const int Alive = Entries / 10 * 9;

    /// <summary>One entry in so many may be large.</summary>
    private const int LargeOneIn = 12;

    private const int LongestSmall = 2_000;

    private readonly TestDirectory _directory = new();

    public BytesFolder()
    {
        using var cache = BytesCache.Open(_directory.Path);
        for (int i = 0; i < Entries; i++) Set(cache, i, version: 1);
        for (int i = 3; i < Entries; i += 10) cache.Remove(KeyOf(i));
        for (int i = 7; i < Entries; i += 10) Set(cache, i, version: 2);
    }

    public static string KeyOf(int number) => number % 2 == 0 ? $"key {number}" : $"schlüssel {number}";

    public static byte[] ValueOf(int number, long version)
    {
        var random = new Random((int)((number * 31) + version));
        return BytesValue.Of(KeyOf(number), version, BytesValue.AnyLength(random, most: (number + version) % LargeOneIn == 0 ? BytesCache.LargestValue : LongestSmall));
    }

    public static void Set(FasterDistributedCache cache, int number, long version) => cache.Set(KeyOf(number), ValueOf(number, version), BytesCache.ForEver);

    /// <summary>Reads all keys; fails on a wrong value; returns the share of those alive that were hits.</summary>
    public static double ShareOfHits(FasterDistributedCache cache) => CountHits(cache, number => number % 10 == 3 ? null : number % 10 == 7 ? 2 : 1) / (double)Alive;

    /// <summary>Reads all keys; fails on a value that is not the one of the expected version, or where none is expected; returns how many were hits.</summary>
    public static int CountHits(FasterDistributedCache cache, Func<int, long?> versionOf)
    {
        int hits = 0;
        for (int number = 0; number < Entries; number++)
        {
            if (cache.Get(KeyOf(number)) is not { } value) continue;
            Assert.True(versionOf(number) is { } version && value.AsSpan().SequenceEqual(ValueOf(number, version)), $"{KeyOf(number)}: {value.Length} bytes of another value, or of one that is gone");
            hits++;
        }

        return hits;
    }

    public static List<string> SegmentsIn(string folder) => [.. Directory.EnumerateFiles(folder, "log-*").Order()];

    /// <summary>Copies the folder into a directory, where a cache of that directory finds it; returns its path there.</summary>
    public string CopyTo(TestDirectory directory)
    {
        string folder = BytesCache.FolderIn(directory.Path);
        StampCache.Copy(BytesCache.FolderIn(_directory.Path), folder);
        return folder;
    }

    public void Dispose() => _directory.Dispose();
}
