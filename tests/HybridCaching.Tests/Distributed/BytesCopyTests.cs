namespace HybridCaching.Tests.Distributed;

/// <summary>What a set does with the copy that the hot tier has of its key.</summary>
public sealed class BytesCopyTests : IDisposable
{
    private const string Key = "key";
    private const int ValueBytes = 1000;

    /// <summary>More than memory holds.</summary>
    private const long Pushed = 24 << 20;

    private readonly TestDirectory _directory = new();
    private readonly FasterDistributedCache _cache;

    public BytesCopyTests()
    {
        _cache = BytesCache.Open(_directory.Path);
        Set(version: 1, ValueBytes);
        _cache.Push(Pushed, round: 1);
        Assert.NotNull(_cache.Get(Key)); // from the disk: now there is a copy
    }

    [Fact]
    public void Set_AsLongAsTheCopy_CopyOutlivesTheRecordInMemory()
    {
        Set(version: 2, ValueBytes);
        _cache.Push(Pushed, round: 2);

        Assert.Equal(CacheTier.Memory, _cache.TierOf(Key));
        Assert.Equal(BytesValue.Of(Key, 2, ValueBytes), _cache.Get(Key));
    }

    [Fact]
    public void Set_LongerThanTheCopy_CopyIsGone()
    {
        Set(version: 2, 2 * ValueBytes);
        _cache.Push(Pushed, round: 2);

        Assert.Equal(CacheTier.Disk, _cache.TierOf(Key));
        Assert.Equal(BytesValue.Of(Key, 2, 2 * ValueBytes), _cache.Get(Key));
    }

    public void Dispose()
    {
        _cache.Dispose();
        _directory.Dispose();
    }

    private void Set(long version, int length) => _cache.Set(Key, BytesValue.Of(Key, version, length), BytesCache.ForEver);
}
