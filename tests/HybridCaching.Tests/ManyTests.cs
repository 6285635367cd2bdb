using HybridCaching.Devices;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests;

/// <summary>GetMany, GetManyAsync and SetMany, on a cache most of whose entries lie on the disk.</summary>
public sealed class ManyTests : IDisposable
{
    private const int Count = 1_000;

    private readonly TestDirectory _directory = new();
    private readonly FasterCache<long, Stamp> _cache;
    private readonly long[] _keys = [.. Enumerable.Range(0, Count).Select(i => (long)((i * 7) % 4_000))];
    private readonly Stamp[] _values = new Stamp[Count];
    private readonly bool[] _found = new bool[Count];

    public ManyTests() => _cache = ColdCache.Open(_directory.Path);

    public void Dispose()
    {
        _cache.Dispose();
        _directory.Dispose();
    }

    [Fact]
    public void GetMany_StoredKeys_FindsEach()
    {
        Assert.Equal(Count, _cache.GetMany(_keys, _values, _found));
        AssertAllThere();
    }

    [Fact]
    public void GetMany_EveryReadNeedsTheDisk_FindsEach()
    {
        _cache.Tiers.Device!.Fault = static _ => false;
        Assert.Equal(Count, _cache.GetMany(_keys, _values, _found));
        AssertAllThere();
    }

    [Fact]
    public async Task GetManyAsync_StoredKeys_FindsEach()
    {
        Assert.Equal(Count, await _cache.GetManyAsync(_keys, _values, _found, TestContext.Current.CancellationToken));
        AssertAllThere();
    }

    [Fact]
    public async Task GetManyAsync_EveryReadNeedsTheDisk_FindsEach()
    {
        _cache.Tiers.Device!.Fault = static _ => false;
        Assert.Equal(Count, await _cache.GetManyAsync(_keys, _values, _found, TestContext.Current.CancellationToken));
        AssertAllThere();
    }

    [Fact]
    public void GetMany_SomeMissing_SaysWhich()
    {
        for (int i = 0; i < Count; i += 3) _keys[i] = ColdCache.MissingKey + i;
        _values.AsSpan().Fill(Stamp.Of(1, 1));
        Assert.Equal(Count - 334, _cache.GetMany(_keys, _values, _found));
        Assert.All(_found.Index(), found => Assert.Equal(found.Index % 3 != 0, found.Item));
        Assert.All(_values.Index().Where(value => value.Index % 3 == 0), value => Assert.Equal(default, value.Item));
    }

    [Fact]
    public void GetMany_SameKeyTwice_FindsBoth() => Assert.Equal(3, _cache.GetMany([5, 5, 5], _values, _found));

    [Fact]
    public void GetMany_NoKeys_FindsNone() => Assert.Equal(0, _cache.GetMany([], [], []));

    [Fact]
    public void GetMany_ValuesTooShort_Throws() =>
        Assert.Equal("values", Assert.Throws<ArgumentException>(() => _cache.GetMany(_keys, _values.AsSpan(1), _found)).ParamName);

    [Fact]
    public void GetMany_FoundTooShort_Throws() =>
        Assert.Equal("found", Assert.Throws<ArgumentException>(() => _cache.GetMany(_keys, _values, _found.AsSpan(1))).ParamName);

    [Fact]
    public void GetMany_Twice_CountsEveryRead()
    {
        _cache.GetMany(_keys, _values, _found);
        _cache.GetMany(_keys, _values, _found);
        var statistics = _cache.GetStatistics();
        Assert.Equal(2 * Count, statistics.MemoryHits + statistics.DiskHits);
    }

    [Fact]
    public void GetMany_DiskHangs_IsMissesInTime()
    {
        using var directory = new TestDirectory();
        using var cache = ColdCache.Open(directory.Path, TimeSpan.FromMilliseconds(50));
        using var gate = new DiskGate(cache.Tiers.Device!, IoKind.Read);
        gate.Close();
        Crew.MustEnd("GetMany", () => Assert.True(cache.GetMany([0, 1, 500, 1_500], _values, _found) < 4));
        Assert.Equal(4 - _found.Count(found => found), cache.GetStatistics().Timeouts);
    }

    [Fact]
    public void GetManyAsync_CancelledWhileTheDiskHangs_Throws()
    {
        using var cancel = new CancellationTokenSource();
        using var gate = new DiskGate(_cache.Tiers.Device!, IoKind.Read);
        gate.Close();
        var reads = _cache.GetManyAsync(_keys, _values, _found, cancel.Token).AsTask();
        gate.AwaitHeld();
        cancel.Cancel();
        Crew.MustEnd("GetManyAsync", () => Assert.ThrowsAny<OperationCanceledException>(() => reads.GetAwaiter().GetResult()));
    }

    [Fact]
    public void GetMany_DiskSlow_ReadsOverlap()
    {
        using var gate = new DiskGate(_cache.Tiers.Device!, IoKind.Read);
        gate.Close();
        var reader = Crew.Start(() => _cache.GetMany([0, 500, 1_000, 1_500], _values, _found));
        Until.True(() => gate.Held >= 2, "a second read is under way while the first is held");
        gate.Open();
        Assert.True(reader.Join(Until.Deadline));
    }

    [Fact]
    public void GetMany_Disposed_Throws()
    {
        _cache.Dispose();
        Assert.Throws<ObjectDisposedException>(() => _cache.GetMany(_keys, _values, _found));
    }

    [Fact]
    public void GetMany_NoKeysAfterDispose_Throws()
    {
        _cache.Dispose();
        Assert.Throws<ObjectDisposedException>(() => _cache.GetMany([], [], []));
    }

    [Fact]
    public async Task GetManyAsync_NoKeysAfterDispose_Throws()
    {
        _cache.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await _cache.GetManyAsync(default, default, default, TestContext.Current.CancellationToken));
    }

    [Fact]
    public void SetMany_NoKeysAfterDispose_Throws()
    {
        _cache.Dispose();
        Assert.Throws<ObjectDisposedException>(() => _cache.SetMany([], []));
    }

    [Fact]
    public void SetMany_NewKeys_AreThere()
    {
        long[] keys = [.. _keys.Select((_, i) => ColdCache.MissingKey + i)];
        Stamp[] values = [.. keys.Select(key => Stamp.Of(key, 2))];
        _cache.SetMany(keys, values);
        Assert.Equal(Count, _cache.GetMany(keys, _values, _found));
        Assert.Equal(values, _values);
    }

    [Fact]
    public void SetMany_KeysOnTheDisk_HaveTheNewValues()
    {
        _cache.SetMany(_keys, [.. _keys.Select(key => Stamp.Of(key, 2))]);
        Assert.All(_keys, key => Assert.True(_cache.TryGet(key, out var value) && value == Stamp.Of(key, 2)));
    }

    [Fact]
    public void SetMany_SameKeyTwice_KeepsTheLastValue()
    {
        _cache.SetMany([5, 5], [Stamp.Of(5, 2), Stamp.Of(5, 3)]);
        Assert.True(_cache.TryGet(5, out var value));
        Assert.Equal(Stamp.Of(5, 3), value);
    }

    [Fact]
    public void SetMany_OtherNumberOfValues_Throws() =>
        Assert.Equal("values", Assert.Throws<ArgumentException>(() => _cache.SetMany([1, 2], [default])).ParamName);

    [Fact]
    public void SetMany_TimeToLiveOfZero_Throws() => Assert.Throws<ArgumentOutOfRangeException>(() => _cache.SetMany([1], [default], TimeSpan.Zero));

    [Fact]
    public void SetMany_MoreThanMemoryHolds_KeepsIt()
    {
        long[] keys = [.. Enumerable.Range(0, 200_000).Select(i => (long)i)];
        Stamp[] values = [.. keys.Select(key => Stamp.Of(key, 4))];
        _cache.SetMany(keys, values);
        var read = new Stamp[keys.Length];
        bool[] found = new bool[keys.Length];

        Assert.InRange(_cache.GetMany(keys, read, found), keys.Length - 20, keys.Length); // a new key takes the settled record of another along once in 650,000
        Assert.DoesNotContain(keys, key => found[key] && read[key] != values[key]);
    }

    [Fact]
    public void SetMany_ManyThreadsOnTheSameKeys_LeavesWholeValues()
    {
        Crew.Run(6, me =>
        {
            for (int round = 0; round < 50; round++) _cache.SetMany(_keys, [.. _keys.Select(key => Stamp.Of(key, 100 + me))]);
        });
        _cache.GetMany(_keys, _values, _found);
        Assert.All(_values.Index(), value => Assert.Equal(Stamp.Of(_keys[value.Index], value.Item.Version), value.Item));
    }

    [Fact]
    public void SetMany_AFactoryRuns_ItsValueIsNotStored()
    {
        _cache.GetOrAdd(ColdCache.MissingKey, key =>
        {
            _cache.SetMany([key], [Stamp.Of(key, 9)]);
            return Stamp.Of(key, 1);
        });
        Assert.True(_cache.TryGet(ColdCache.MissingKey, out var value));
        Assert.Equal(Stamp.Of(ColdCache.MissingKey, 9), value);
    }

    private void AssertAllThere()
    {
        Assert.All(_found, Assert.True);
        Assert.Equal(_keys.Select(key => Stamp.Of(key, 1)), _values);
    }
}
