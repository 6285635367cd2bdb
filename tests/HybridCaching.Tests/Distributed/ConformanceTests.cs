using System.Buffers;
using HybridCaching.Tests.Support;
using Microsoft.Extensions.Caching.Distributed;

namespace HybridCaching.Tests.Distributed;

/// <summary>What the tests of Microsoft's HybridCache ask of every second level, seen through its interfaces: nothing before, the value for its five minutes, nothing after.</summary>
public sealed class ConformanceTests : IDisposable
{
    private static readonly int[] Sizes = [0, 128, 1024, 16 * 1024];
    private static readonly DistributedCacheEntryOptions FiveMinutes = OpenCache.In(TimeSpan.FromMinutes(5));

    private readonly TestDirectory _directory = new();
    private readonly ManualTimeProvider _clock = new();

    /// <summary>Whether the cache has a directory.</summary>
    public static TheoryData<bool> Directories => [false, true];

    /// <summary>Whether the cache has a directory, and of what the values are.</summary>
    public static MatrixTheoryData<bool, SequenceKind> DirectoriesAndKinds => new([false, true], Enum.GetValues<SequenceKind>());

    public void Dispose() => _directory.Dispose();

    [Theory]
    [MemberData(nameof(Directories))]
    public void Set_Array_IsReadForFiveMinutes(bool hasDirectory)
    {
        using var opened = Open(hasDirectory);
        IDistributedCache cache = opened;
        foreach (int size in Sizes)
        {
            cache.Remove("k");
            Assert.Null(cache.Get("k"));
            cache.Set("k", OpenCache.Value(size), FiveMinutes);
            Assert.Equal(OpenCache.Value(size), cache.Get("k"));
            _clock.Advance(TimeSpan.FromMinutes(4));
            Assert.Equal(OpenCache.Value(size), cache.Get("k"));
            _clock.Advance(TimeSpan.FromMinutes(2));
            Assert.Null(cache.Get("k"));
        }
    }

    [Theory]
    [MemberData(nameof(Directories))]
    public async Task SetAsync_Array_IsReadForFiveMinutes(bool hasDirectory)
    {
        using var opened = Open(hasDirectory);
        IDistributedCache cache = opened;
        foreach (int size in Sizes)
        {
            await cache.RemoveAsync("k");
            Assert.Null(await cache.GetAsync("k"));
            await cache.SetAsync("k", OpenCache.Value(size), FiveMinutes);
            Assert.Equal(OpenCache.Value(size), await cache.GetAsync("k"));
            _clock.Advance(TimeSpan.FromMinutes(4));
            Assert.Equal(OpenCache.Value(size), await cache.GetAsync("k"));
            _clock.Advance(TimeSpan.FromMinutes(2));
            Assert.Null(await cache.GetAsync("k"));
        }
    }

    [Theory]
    [MemberData(nameof(DirectoriesAndKinds))]
    public void Set_Sequence_IsReadForFiveMinutes(bool hasDirectory, SequenceKind kind)
    {
        using var opened = Open(hasDirectory);
        var cache = Assert.IsType<IBufferDistributedCache>(opened, exactMatch: false);
        foreach (int size in Sizes)
        {
            cache.Remove("k");
            AssertMiss(cache);
            cache.Set("k", Sequences.Of(kind, OpenCache.Value(size)), FiveMinutes);
            AssertHit(cache, size);
            _clock.Advance(TimeSpan.FromMinutes(4));
            AssertHit(cache, size);
            _clock.Advance(TimeSpan.FromMinutes(2));
            AssertMiss(cache);
        }
    }

    [Theory]
    [MemberData(nameof(DirectoriesAndKinds))]
    public async Task SetAsync_Sequence_IsReadForFiveMinutes(bool hasDirectory, SequenceKind kind)
    {
        using var opened = Open(hasDirectory);
        var cache = Assert.IsType<IBufferDistributedCache>(opened, exactMatch: false);
        foreach (int size in Sizes)
        {
            await cache.RemoveAsync("k");
            await AssertMissAsync(cache);
            await cache.SetAsync("k", Sequences.Of(kind, OpenCache.Value(size)), FiveMinutes);
            await AssertHitAsync(cache, size);
            _clock.Advance(TimeSpan.FromMinutes(4));
            await AssertHitAsync(cache, size);
            _clock.Advance(TimeSpan.FromMinutes(2));
            await AssertMissAsync(cache);
        }
    }

    private static void AssertHit(IBufferDistributedCache cache, int size)
    {
        var writer = new ArrayBufferWriter<byte>();
        Assert.True(cache.TryGet("k", writer));
        Assert.Equal(OpenCache.Value(size), writer.WrittenSpan.ToArray());
    }

    private static void AssertMiss(IBufferDistributedCache cache)
    {
        var writer = new ArrayBufferWriter<byte>();
        Assert.False(cache.TryGet("k", writer));
        Assert.Equal(0, writer.WrittenCount);
        Assert.Null(cache.Get("k"));
    }

    private static async Task AssertHitAsync(IBufferDistributedCache cache, int size)
    {
        var writer = new ArrayBufferWriter<byte>();
        Assert.True(await cache.TryGetAsync("k", writer));
        Assert.Equal(OpenCache.Value(size), writer.WrittenSpan.ToArray());
    }

    private static async Task AssertMissAsync(IBufferDistributedCache cache)
    {
        var writer = new ArrayBufferWriter<byte>();
        Assert.False(await cache.TryGetAsync("k", writer));
        Assert.Equal(0, writer.WrittenCount);
        Assert.Null(await cache.GetAsync("k"));
    }

    private FasterDistributedCache Open(bool hasDirectory) => OpenCache.Open(hasDirectory ? _directory.Path : null, _clock);
}
