using System.Buffers;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Distributed;

/// <summary>A value that is too large is dropped: no exception, and nothing of the value before.</summary>
public sealed class OversizeTests : IDisposable
{
    private const int Maximum = 1_000;

    private readonly CollectingLoggerFactory _log = new();
    private readonly ManualTimeProvider _clock = new();
    private readonly FasterDistributedCache _cache;

    public OversizeTests() => _cache = OpenCache.Open(clock: _clock, log: _log, change: o => o.MaximumValueBytes = Maximum);

    public static MatrixTheoryData<SetMember, GetMember> Pairs => new(CacheMembers.Setters, CacheMembers.Getters);

    public static TheoryData<SetMember> Setters => [.. CacheMembers.Setters];

    public void Dispose() => _cache.Dispose();

    [Theory]
    [MemberData(nameof(Pairs))]
    public async Task Set_OfTheMaximum_RoundTrips(SetMember set, GetMember get)
    {
        await _cache.StoreAsync(set, "k", OpenCache.Value(Maximum));
        Assert.Equal(OpenCache.Value(Maximum), await _cache.ReadAsync(get, "k"));
    }

    [Theory]
    [MemberData(nameof(Pairs))]
    public async Task Set_OneByteTooLarge_IsMiss(SetMember set, GetMember get)
    {
        await _cache.StoreAsync(set, "k", OpenCache.Value(Maximum + 1));
        Assert.Null(await _cache.ReadAsync(get, "k"));
    }

    [Theory]
    [MemberData(nameof(Pairs))]
    public async Task Set_TooLargeOverAValue_RemovesThat(SetMember set, GetMember get)
    {
        _cache.Set("k", [1, 2, 3], OpenCache.NoExpiration);
        await _cache.StoreAsync(set, "k", OpenCache.Value(Maximum + 1));
        Assert.Null(await _cache.ReadAsync(get, "k"));
    }

    [Theory]
    [MemberData(nameof(Setters))]
    public async Task Set_TooLarge_LeavesOtherKeys(SetMember set)
    {
        _cache.Set("other", [1, 2, 3], OpenCache.NoExpiration);
        await _cache.StoreAsync(set, "k", OpenCache.Value(Maximum + 1));
        Assert.Equal([1, 2, 3], _cache.Get("other")!);
    }

    [Theory]
    [MemberData(nameof(Setters))]
    public async Task Set_TooLarge_IsCounted(SetMember set)
    {
        await _cache.StoreAsync(set, "k", OpenCache.Value(Maximum + 1));
        await _cache.StoreAsync(set, "k", OpenCache.Value(Maximum * 10));
        Assert.Equal(2, _cache.GetStatistics().DroppedWrites);
    }

    [Theory]
    [MemberData(nameof(Setters))]
    public async Task Set_TooLarge_IsLogged(SetMember set)
    {
        await _cache.StoreAsync(set, "k", OpenCache.Value(Maximum + 1));
        Assert.NotEmpty(_log.Warnings);
    }

    [Theory]
    [MemberData(nameof(Setters))]
    public async Task Set_NotTooLarge_IsNeitherCountedNorLogged(SetMember set)
    {
        await _cache.StoreAsync(set, "k", OpenCache.Value(Maximum));
        Assert.Equal(0, _cache.GetStatistics().DroppedWrites);
        Assert.Empty(_log.Warnings);
    }

    [Theory]
    [MemberData(nameof(Setters))]
    public async Task Set_SmallAfterTooLarge_RoundTrips(SetMember set)
    {
        await _cache.StoreAsync(set, "k", OpenCache.Value(Maximum + 1));
        await _cache.StoreAsync(set, "k", [4]);
        Assert.Equal([4], _cache.Get("k")!);
    }

    [Fact]
    public async Task SetSequence_SegmentsTooLargeTogether_IsDropped()
    {
        var sequence = Sequences.OfSegments(new byte[Maximum / 2], new byte[Maximum / 2], new byte[1]);
        _cache.Set("sync", sequence, OpenCache.NoExpiration);
        await _cache.SetAsync("async", sequence, OpenCache.NoExpiration);
        Assert.Null(_cache.Get("sync"));
        Assert.Null(_cache.Get("async"));
    }

    /// <summary>More bytes than 32 bits count: cut off to these, the length would be allowed.</summary>
    [Fact]
    public async Task SetSequence_MoreThanFourGigabytes_IsDropped()
    {
        byte[] piece = new byte[1 << 20];
        var sequence = Sequences.OfSegments([.. Enumerable.Repeat((ReadOnlyMemory<byte>)piece, 4 << 10), new byte[Maximum / 2]]);
        Assert.Equal((1L << 32) + (Maximum / 2), sequence.Length);
        _cache.Set("sync", sequence, OpenCache.NoExpiration);
        await _cache.SetAsync("async", sequence, OpenCache.NoExpiration);
        Assert.Null(_cache.Get("sync"));
        Assert.Null(_cache.Get("async"));
        Assert.Equal(2, _cache.GetStatistics().DroppedWrites);
    }

    [Theory]
    [MemberData(nameof(Setters))]
    public async Task Set_TooLargeAndExpirationPast_IsAnArgumentError(SetMember set) =>
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => _cache.StoreAsync(set, "k", OpenCache.Value(Maximum + 1), OpenCache.At(_clock.GetUtcNow())));

    [Theory]
    [InlineData(SetMember.SetAsync)]
    [InlineData(SetMember.SetSequenceAsync)]
    public async Task SetAsync_TooLargeAndCancelled_KeepsThePreviousValue(SetMember set)
    {
        _cache.Set("k", [1, 2, 3], OpenCache.NoExpiration);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => _cache.StoreAsync(set, "k", OpenCache.Value(Maximum + 1), token: new CancellationToken(canceled: true)));
        Assert.NotNull(_cache.Get("k"));
    }

    [Fact]
    public void Set_LargerThanTheDefaultMaximum_IsDropped()
    {
        using var cache = OpenCache.Open();
        cache.Set("k", new byte[(16 << 20) + 1], OpenCache.NoExpiration);
        Assert.Null(cache.Get("k"));
        Assert.Equal(1, cache.GetStatistics().DroppedWrites);
    }

    [Fact]
    public void Set_TooLargeOverAValueOnTheDisk_RemovesThatForGood()
    {
        using var directory = new TestDirectory();
        using (var cache = OpenCache.OpenCold(directory.Path, change: o => o.MaximumValueBytes = 10_000))
        {
            cache.Set("k", [1, 2, 3], OpenCache.NoExpiration);
            cache.PushToDisk("k");
            cache.Set("k", new ReadOnlySequence<byte>(new byte[10_001]), OpenCache.NoExpiration);
            Assert.Null(cache.Get("k"));
        }

        using var again = OpenCache.OpenCold(directory.Path, change: o => o.MaximumValueBytes = 10_000);
        Assert.Null(again.Get("k"));
    }
}
