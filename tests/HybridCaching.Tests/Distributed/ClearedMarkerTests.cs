using HybridCaching.Diagnostics;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Distributed;

/// <summary>A tag marker is set while the cache is being cleared: what it invalidates may be stored right behind.</summary>
[Collection(nameof(RunsAlone))]
public sealed class ClearedMarkerTests : IDisposable
{
    private readonly TestDirectory _directory = new();

    [Fact]
    public void Clear_MarkerSetOnceRowsAreFree_Stays()
    {
        using var cache = BytesCache.Open(_directory.Path);
        cache.Set(BytesMarkerTests.MicrosoftTag, [1], BytesMarkerTests.ThousandDays);
        Fault.Reached = point =>
        {
            if (point == "clear.unlocked") cache.Set(BytesMarkerTests.MicrosoftTag, [2], BytesMarkerTests.ThousandDays);
        };

        cache.Clear();

        Assert.Equal([2], cache.Get(BytesMarkerTests.MicrosoftTag));
    }

    public void Dispose()
    {
        Fault.Reached = null;
        _directory.Dispose();
    }
}
