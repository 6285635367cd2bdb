using HybridCaching.Diagnostics;
using HybridCaching.Tests.Support;
using Microsoft.Extensions.Caching.Distributed;

namespace HybridCaching.Tests.Distributed;

/// <summary>A tag marker is set while the cache is being cleared: what it invalidates may be stored right behind.</summary>
[Collection(nameof(RunsAlone))]
public sealed class ClearedMarkerTests : IDisposable
{
    private const string Marker = "__MSFT_HCT__tag";

    private static readonly DistributedCacheEntryOptions ThousandDays = new() { AbsoluteExpirationRelativeToNow = TimeSpan.FromDays(1000) };

    private readonly TestDirectory _directory = new();

    [Fact]
    public void Clear_MarkerSetOnceRowsAreFree_Stays()
    {
        using var cache = BytesCache.Open(_directory.Path);
        cache.Set(Marker, [1], ThousandDays);
        Fault.Reached = point =>
        {
            if (point == "clear.unlocked") cache.Set(Marker, [2], ThousandDays);
        };

        cache.Clear();

        Assert.Equal([2], cache.Get(Marker));
    }

    public void Dispose()
    {
        Fault.Reached = null;
        _directory.Dispose();
    }
}
