using HybridCaching.Devices;
using HybridCaching.Tests.Concurrency;

namespace HybridCaching.Tests.Distributed;

/// <summary>A small cache with values that lie on the disk only, and a disk whose reads can be made to hang.</summary>
internal sealed class BytesColdCache : IDisposable
{
    public const string Small = "small";
    public const string Large = "large";

    /// <summary>In memory.</summary>
    public const string Warm = "warm";

    public const int ColdKeys = 400;
    private const int SmallBytes = 300;
    private const int LargeBytes = 250_000;

    private readonly TestDirectory _directory = new();

    public BytesColdCache(TimeSpan diskTimeout)
    {
        Cache = BytesCache.Open(_directory.Path, change: o => (o.HotTierShare, o.DiskTimeout) = (0, diskTimeout));
        foreach (string key in Enumerable.Range(0, ColdKeys).Select(ColdKey).Prepend(Large).Prepend(Small)) Set(key, version: 1);
        Cache.PushToDisk(Small, Large, ColdKey(ColdKeys - 1));
        Set(Warm, version: 1);
        Gate = new DiskGate(Cache.Tiers.Device!, IoKind.Read);
    }

    public FasterDistributedCache Cache { get; }

    public DiskGate Gate { get; }

    /// <summary>The key of one more small value on the disk.</summary>
    public static string ColdKey(int number) => $"cold:{number}";

    public static byte[] ValueOf(string key, long version) => BytesValue.Of(key, version, key == Large ? LargeBytes : SmallBytes);

    public static void AssertThere(FasterDistributedCache cache, string key) => Assert.True(cache.Get(key) is { } value && value.AsSpan().SequenceEqual(ValueOf(key, 1)), $"{key} is not there");

    public void Set(string key, long version) => Cache.Set(key, ValueOf(key, version), BytesCache.ForEver);

    /// <summary>Runs a call that may not wait for the disk, which hangs before and after.</summary>
    public void MustEnd(string what, Action call)
    {
        Crew.MustEnd(what, call);
        Assert.True(Gate.IsClosed);
    }

    /// <summary>Lets the disk go on and closes the cache: whatever was still to come has then come.</summary>
    public void OpenGateAndClose()
    {
        Gate.Open();
        Crew.MustEnd("Dispose", Cache.Dispose);
    }

    public FasterDistributedCache Reopen() => BytesCache.Open(_directory.Path);

    public void Dispose()
    {
        Gate.Dispose();
        Cache.Dispose();
        _directory.Dispose();
    }
}
