using System.Buffers;
using System.Runtime.InteropServices;

namespace HybridCaching.Tests.Distributed;

/// <summary>What goes in comes out, and belongs to whoever has it.</summary>
public sealed class ValueTests : IDisposable
{
    private readonly FasterDistributedCache _cache = OpenCache.Open();

    public static TheoryData<SetMember> Setters => [.. CacheMembers.Setters];

    public static MatrixTheoryData<SetMember, GetMember> Pairs => new(CacheMembers.Setters, CacheMembers.Getters);

    public static TheoryData<GetMember> ArrayGetters => [GetMember.Get, GetMember.GetAsync];

    public static TheoryData<SequenceKind> Kinds => [.. Enum.GetValues<SequenceKind>()];

    public void Dispose() => _cache.Dispose();

    [Theory]
    [MemberData(nameof(Pairs))]
    public async Task Get_EmptyValue_IsHitOfNoBytes(SetMember set, GetMember get)
    {
        await _cache.StoreAsync(set, "k", []);
        byte[]? value = await _cache.ReadAsync(get, "k");
        Assert.NotNull(value);
        Assert.Empty(value);
    }

    [Theory]
    [MemberData(nameof(Setters))]
    public async Task Set_EmptyOverAValue_ReplacesIt(SetMember set)
    {
        _cache.Set("k", [1, 2, 3], OpenCache.NoExpiration);
        await _cache.StoreAsync(set, "k", []);
        Assert.Empty(_cache.Get("k")!);
    }

    [Theory]
    [MemberData(nameof(Setters))]
    public async Task Set_ShorterThenLonger_LeavesNothingOfTheOldValue(SetMember set)
    {
        foreach (int length in new[] { 1_000, 10, 999, 1_001, 0, 5_000 })
        {
            await _cache.StoreAsync(set, "k", OpenCache.Value(length, length));
            Assert.Equal(OpenCache.Value(length, length), _cache.Get("k"));
        }
    }

    [Theory]
    [MemberData(nameof(Setters))]
    public async Task Set_ArrayChangedAfterwards_KeepsTheValue(SetMember set)
    {
        byte[] given = OpenCache.Value(5_000);
        await _cache.StoreAsync(set, "k", given);
        Array.Clear(given);
        Assert.Equal(OpenCache.Value(5_000), _cache.Get("k"));
    }

    [Theory]
    [MemberData(nameof(ArrayGetters))]
    public async Task Get_ReturnedArrayChanged_KeepsTheValue(GetMember get)
    {
        _cache.Set("k", OpenCache.Value(5_000), OpenCache.NoExpiration);
        Array.Clear((await _cache.ReadAsync(get, "k"))!);
        Assert.Equal(OpenCache.Value(5_000), _cache.Get("k"));
    }

    [Theory]
    [MemberData(nameof(ArrayGetters))]
    public async Task Get_Twice_ReturnsTwoArrays(GetMember get)
    {
        _cache.Set("k", [1, 2, 3], OpenCache.NoExpiration);
        Assert.NotSame(await _cache.ReadAsync(get, "k"), await _cache.ReadAsync(get, "k"));
    }

    [Fact]
    public async Task GetManyAsync_ReturnedArraysChanged_KeepsTheValues()
    {
        _cache.Set("k", OpenCache.Value(50), OpenCache.NoExpiration);
        Array.Clear((await _cache.GetManyAsync(["k"]))["k"]);
        Assert.Equal(OpenCache.Value(50), _cache.Get("k"));
    }

    [Fact]
    public async Task ScanAsync_ReturnedArraysChanged_KeepsTheValues()
    {
        _cache.Set("k", OpenCache.Value(50), OpenCache.NoExpiration);
        await foreach (var entry in _cache.ScanAsync("*")) Array.Clear(entry.Value);
        Assert.Equal(OpenCache.Value(50), _cache.Get("k"));
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task SetSequence_OfAnyKind_RoundTrips(SequenceKind kind)
    {
        foreach (int length in new[] { 0, 1, 2, 3, 100, 70_000, 700_000 })
        {
            byte[] value = OpenCache.Value(length, length);
            _cache.Set("sync", Sequences.Of(kind, value), OpenCache.NoExpiration);
            await _cache.SetAsync("async", Sequences.Of(kind, value), OpenCache.NoExpiration);
            Assert.Equal(value, _cache.Get("sync"));
            Assert.Equal(value, _cache.Get("async"));
        }
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task SetSequence_ChangedAfterwards_KeepsTheValue(SequenceKind kind)
    {
        byte[] given = OpenCache.Value(5_000);
        var sequence = Sequences.Of(kind, given);
        _cache.Set("sync", sequence, OpenCache.NoExpiration);
        await _cache.SetAsync("async", sequence, OpenCache.NoExpiration);
        foreach (var memory in sequence) MemoryMarshal.AsMemory(memory).Span.Clear();
        Assert.Equal(OpenCache.Value(5_000), _cache.Get("sync"));
        Assert.Equal(OpenCache.Value(5_000), _cache.Get("async"));
    }

    [Fact]
    public async Task SetSequence_OfManyTinySegments_RoundTrips()
    {
        byte[] value = OpenCache.Value(3_000);
        var sequence = Sequences.OfSegments([.. Enumerable.Range(0, value.Length).Select(i => (ReadOnlyMemory<byte>)new UnpinnableMemory([value[i]]).Memory)]);
        _cache.Set("sync", sequence, OpenCache.NoExpiration);
        await _cache.SetAsync("async", sequence, OpenCache.NoExpiration);
        Assert.Equal(value, _cache.Get("sync"));
        Assert.Equal(value, _cache.Get("async"));
    }

    [Fact]
    public void SetSequence_SliceOfSeveralSegments_StoresTheSlice()
    {
        byte[] value = OpenCache.Value(1_000);
        var sequence = Sequences.OfSegments(value.AsMemory(0, 400), value.AsMemory(400, 200), value.AsMemory(600));
        _cache.Set("k", sequence.Slice(399, 202), OpenCache.NoExpiration);
        Assert.Equal(value[399..601], _cache.Get("k"));
    }

    [Fact]
    public async Task SetSequence_Default_StoresNoBytes()
    {
        _cache.Set("sync", default(ReadOnlySequence<byte>), OpenCache.NoExpiration);
        await _cache.SetAsync("async", default(ReadOnlySequence<byte>), OpenCache.NoExpiration);
        Assert.Empty(_cache.Get("sync")!);
        Assert.Empty(_cache.Get("async")!);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(1_000)]
    public void TryGetSpan_DestinationLarger_LeavesTheRestAlone(int length)
    {
        _cache.Set("k", OpenCache.Value(length), OpenCache.NoExpiration);
        byte[] destination = [.. Enumerable.Repeat((byte)0xEE, length + 10)];
        Assert.True(_cache.TryGet("k", destination, out int found));
        Assert.Equal(length, found);
        Assert.Equal([.. OpenCache.Value(length), .. Enumerable.Repeat((byte)0xEE, 10)], destination);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(1_000)]
    [InlineData(300_000)]
    public void TryGetSpan_DestinationOfTheLength_IsFilled(int length)
    {
        _cache.Set("k", OpenCache.Value(length), OpenCache.NoExpiration);
        byte[] destination = new byte[length];
        Assert.True(_cache.TryGet("k", destination, out int found));
        Assert.Equal(length, found);
        Assert.Equal(OpenCache.Value(length), destination);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(1_000)]
    [InlineData(300_000)]
    public void TryGetSpan_DestinationTooSmall_GivesTheLengthAndCopiesNothing(int length)
    {
        _cache.Set("k", OpenCache.Value(length), OpenCache.NoExpiration);
        byte[] destination = [.. Enumerable.Repeat((byte)0xEE, length - 1)];
        Assert.True(_cache.TryGet("k", destination, out int found));
        Assert.Equal(length, found);
        Assert.All(destination, b => Assert.Equal(0xEE, b));
    }

    [Fact]
    public void TryGetSpan_Miss_CopiesNothing()
    {
        byte[] destination = [0xEE, 0xEE];
        Assert.False(_cache.TryGet("k", destination, out int found));
        Assert.Equal(0, found);
        Assert.Equal([0xEE, 0xEE], destination);
    }

    [Fact]
    public void TryGetSpan_TooSmallFromTheDisk_GivesTheLengthAndCopiesNothing()
    {
        using var directory = new TestDirectory();
        using var cache = OpenCache.OpenCold(directory.Path);
        cache.Set("k", OpenCache.Value(300), OpenCache.NoExpiration);
        cache.PushToDisk("k");
        byte[] destination = new byte[299];
        Assert.True(cache.TryGet("k", destination, out int found));
        Assert.Equal(300, found);
        Assert.All(destination, b => Assert.Equal(0, b));
    }
}
