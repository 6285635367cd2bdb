using System.Numerics;
using HybridCaching.HotTier;
using HybridCaching.Records;
using HybridCaching.Store;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;
using HybridCaching.Tiering;
using Microsoft.Extensions.Caching.Distributed;

namespace HybridCaching.Tests.Distributed;

/// <summary>What is stored again and again, and lies in the hot tier, is not written to the log each time: only its copy has it.</summary>
public sealed class BytesUnloggedTests : IDisposable
{
    /// <summary>Several times what memory holds.</summary>
    private const int Entries = 40_000;

    /// <summary>Of these, all that have a copy are stored again and again.</summary>
    private const int Hot = 500;

    private const int ValueBytes = 1000;
    private const int Ticks = 100;

    private readonly TestDirectory _directory = new();
    private readonly ManualTimeProvider _housekeeping = new();
    private readonly ManualTimeProvider _clock = new();
    private FasterDistributedCache _cache;

    public BytesUnloggedTests()
    {
        _cache = Open();
        for (int key = 0; key < Entries; key++) Set(key, version: 1);
        for (int i = 0; i < Ticks; i++) _housekeeping.Advance(Housekeeper.Tick); // the hot tier has what it gets
        MakeUnlogged(version: 2);
    }

    private HotBytes Rows => (HotBytes)PrivateField.Of<HotRows>(_cache.Tiers, "_rows");

    private HybridLog Log => PrivateField.Of<HybridLog>(_cache.Tiers, "_log");

    [Fact]
    public void Set_StoredAgain_AppendsLittle()
    {
        long tail = Log.TailAddress;
        for (int version = 3; version < 50; version++) SetAll(version);
        Assert.InRange(Log.TailAddress - tail, 0, 10 * Hot * ValueBytes);
        Assert.Equal(Hot, CountHits(version: 49));
    }

    [Fact]
    public void Set_OtherLength_IsFound()
    {
        for (int key = 0; key < Hot; key++) _cache.Set(NameOf(key), BytesValue.Of(NameOf(key), 3, ValueBytes / 2), BytesCache.ForEver);
        for (int key = 0; key < Hot; key++) Assert.Equal(BytesValue.Of(NameOf(key), 3, ValueBytes / 2), _cache.Get(NameOf(key)));
        Reopen();
        for (int key = 0; key < Hot; key++) Assert.Equal(BytesValue.Of(NameOf(key), 3, ValueBytes / 2), _cache.Get(NameOf(key)));
    }

    [Fact]
    public void Remove_Unlogged_IsGoneForGood()
    {
        for (int key = 0; key < Hot; key++) Assert.True(_cache.Tiers.Remove(NameOf(key)));
        Assert.Equal(0, CountHits(version: 2));
        Reopen();
        Assert.Equal(0, CountHits(version: 2));
    }

    [Fact]
    public void RemoveByPrefixAsync_Unlogged_RemovesAll()
    {
        Assert.Equal(Hot, _cache.RemoveByPrefixAsync("hot:").Await());
        Assert.Equal(0, CountHits(version: 2));
    }

    [Fact]
    public void ScanKeysAsync_Unlogged_ReturnsEachOnce() =>
        Assert.Equal(Enumerable.Range(0, Hot).Select(NameOf).Order(StringComparer.Ordinal), _cache.ScanKeysAsync("hot:*").ToListBlocking().Order(StringComparer.Ordinal));

    /// <summary>Who looks for copies whose record was dropped would leave it unlogged, though the log has it then: what is stored next would not reach the log.</summary>
    [Fact]
    public void TryBeginLogging_LoggedIsMeantAndItIsUnlogged_DoesNotBegin()
    {
        for (int row = 0; row < Rows.Rows; row++)
        {
            for (uint ways = Rows.UnloggedOf(row); ways != 0; ways &= ways - 1) Assert.False(Rows.TryBeginLogging(row, BitOperations.TrailingZeroCount(ways), isLogged: true, out _, out _, out _));
        }

        Assert.Equal(Hot, CountHits(version: 2));
    }

    [Fact]
    public async Task ScanKeysAsync_BecomeUnloggedMeanwhile_ReturnsEach()
    {
        var found = new HashSet<string>();
        bool isFirst = true;
        await foreach (string key in _cache.ScanKeysAsync("*"))
        {
            if (isFirst)
            {
                for (int other = Hot; other < Entries / 2; other++) Set(other, version: 1); // what the log has got cannot be overwritten any more
                MakeUnlogged(version: 3);
            }

            isFirst = false;
            if (key.StartsWith("hot:", StringComparison.Ordinal)) found.Add(key);
        }

        Assert.Equal(Hot, found.Count);
    }

    [Fact]
    public void Clear_Unlogged_IsGone()
    {
        _cache.Clear();
        Assert.Equal(0, CountHits(version: 2));
        Assert.Equal(0, Rows.UnloggedCopies);
    }

    [Fact]
    public void Set_WithAWindow_LivesAsLongAsItIsRead()
    {
        var sliding = new DistributedCacheEntryOptions { SlidingExpiration = TimeSpan.FromMinutes(2) };
        for (int key = 0; key < Hot; key++) _cache.Set(NameOf(key), BytesValue.Of(NameOf(key), 3, ValueBytes), sliding);
        for (int i = 0; i < 4; i++)
        {
            _clock.Advance(TimeSpan.FromMinutes(1));
            Assert.InRange(CountHits(version: 3), Hot * 9 / 10, Hot); // without room in the log in time, one expires early
        }

        _clock.Advance(TimeSpan.FromMinutes(3));
        Assert.Equal(0, CountHits(version: 3));
    }

    [Fact]
    public void Dispose_Unlogged_IsThereAfterwards()
    {
        Reopen();
        Assert.Equal(Hot, CountHits(version: 2));
    }

    [Fact]
    public async Task FlushAsync_Unlogged_LogHasThem()
    {
        await _cache.FlushAsync();
        Assert.Equal(0, Rows.UnloggedCopies);
        Assert.Equal(Hot, CountHits(version: 2));
    }

    [Fact]
    public void Housekeeping_UnloggedHasExpired_LogDoesNotGetIt()
    {
        var soon = new DistributedCacheEntryOptions { AbsoluteExpirationRelativeToNow = TimeSpan.FromMinutes(1) };
        for (int key = 0; key < Hot; key++) _cache.Set(NameOf(key), BytesValue.Of(NameOf(key), 3, ValueBytes), soon);
        Assert.InRange(Rows.UnloggedCopies, 1, Hot);
        _clock.Advance(TimeSpan.FromMinutes(2));
        long tail = Log.TailAddress;
        _housekeeping.TickUntil(() => Rows.UnloggedCopies == 0, "what has expired is forgotten");
        Assert.Equal(tail, Log.TailAddress);
    }

    /// <summary>What the arena has to keep moves to the beginning of its segment, again and again.</summary>
    [Fact]
    public void Get_ManyOthersCome_FindsUnlogged()
    {
        for (int key = Hot; key < Entries; key++) _cache.Get(NameOf(key));
        Assert.Equal(Hot, CountHits(version: 2));
    }

    [Fact]
    public void Resize_LessMemory_FindsNothingOlder()
    {
        _cache.Resize("12MB", "128MB");
        Assert.Equal(Hot, CountHits(version: 2));
    }

    [Fact]
    public void GiveUpWay_SomeUnlogged_KeepsThem()
    {
        long before = Rows.UnloggedCopies;
        for (int i = Rows.Ways / 4; i > 0; i--) Rows.GiveUpWay();
        Assert.InRange(Rows.UnloggedCopies, before * 9 / 10, before);
        Assert.InRange(CountHits(version: 2), Hot * 9 / 10, Hot);
    }

    /// <summary>Who finds the row locked, and nothing in the log, has to look again; so has who finds that the copy is being moved.</summary>
    [Fact]
    public void Get_SetAgainAndAgainMeanwhile_AlwaysHits()
    {
        const int Reads = 100_000;
        string[] keys = [.. Enumerable.Range(0, Hot).Where(IsUnlogged).Take(8).Select(NameOf)];
        using var over = new CancellationTokenSource();
        var others = new[]
        {
            Crew.Start(() =>
            {
                for (int version = 3; !over.IsCancellationRequested; version++)
                {
                    foreach (string key in keys) _cache.Set(key, BytesValue.Of(key, version, ValueBytes), BytesCache.ForEver);
                }
            }),
            Crew.Start(() =>
            {
                for (int key = Hot; !over.IsCancellationRequested; key = key + 1 < Entries ? key + 1 : Hot) _cache.Get(NameOf(key)); // fills the arena
            }),
        };
        int misses = 0;
        for (int i = 0; i < Reads; i++)
        {
            if (_cache.Get(keys[i % keys.Length]) is null) misses++;
        }

        over.Cancel();
        foreach (var other in others) other.Join();
        Assert.Equal(0, misses);
    }

    public void Dispose()
    {
        _cache.Dispose();
        _directory.Dispose();
    }

    private static string NameOf(int key) => key < Hot ? $"hot:{key}" : $"cold:{key}";

    private FasterDistributedCache Open() =>
        BytesCache.Open(_directory.Path, disk: "128MB", change: o => (o.TimeProvider, o.TypicalEntryBytes) = (_clock, "1KB"), housekeeping: _housekeeping);

    private void Reopen()
    {
        _cache.Dispose();
        _cache = Open();
    }

    private void Set(int key, int version) => _cache.Set(NameOf(key), BytesValue.Of(NameOf(key), version, ValueBytes), BytesCache.ForEver);

    private void SetAll(int version)
    {
        for (int key = 0; key < Hot; key++) Set(key, version);
    }

    private int CountHits(int version)
    {
        int hits = 0;
        for (int key = 0; key < Hot; key++)
        {
            if (_cache.Get(NameOf(key)) is not { } value) continue;
            Assert.Equal(BytesValue.Of(NameOf(key), version, ValueBytes), value);
            hits++;
        }

        return hits;
    }

    private bool IsUnlogged(int key)
    {
        byte[] encoded = KeyText.Encode(NameOf(key));
        ulong hash = PrivateField.Of<KeyHasher>(_cache.Tiers, "_hasher").Hash(encoded);
        return Rows.Find(encoded, hash) is >= 0 and var way && Rows.IsUnlogged(hash, way);
    }

    /// <summary>Reads and stores until most of the keys are in copies alone. Which have one is for the hot tier to decide.</summary>
    private void MakeUnlogged(int version)
    {
        for (int round = 0; round < 100 && Rows.UnloggedCopies < Hot * 0.8; round++)
        {
            for (int key = 0; key < Hot; key++) _cache.Get(NameOf(key));
            if (round % 4 == 3) SetAll(version);
        }

        SetAll(version);
        Assert.InRange(Rows.UnloggedCopies, Hot / 2, Hot);
    }
}
