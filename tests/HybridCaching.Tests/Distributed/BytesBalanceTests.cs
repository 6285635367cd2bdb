using HybridCaching.Tests.Support;
using HybridCaching.Tiering;

namespace HybridCaching.Tests.Distributed;

/// <summary>What the hot tier of the cache of bytes answers counts for how much memory it has.</summary>
public sealed class BytesBalanceTests : IDisposable
{
    /// <summary>Twice what memory holds.</summary>
    private const int CachedBytes = 32 << 20;

    private const int HotBytes = 2 << 20;
    private const int Reads = 6_000;

    private readonly TestDirectory _directory = new();
    private readonly ManualTimeProvider _housekeeping = new();

    /// <summary>A value in pieces is read in several steps; were its hits counted for the log, the hot tier would give its memory up.</summary>
    [Theory]
    [InlineData(4_000)]
    [InlineData(100_000)]
    public void Get_FewKeysAgainAndAgain_HotTierHasThemInMemory(int length)
    {
        using var cache = BytesCache.Open(_directory.Path, change: o => o.TypicalEntryBytes = Math.Min(length, 64 << 10), housekeeping: _housekeeping);
        int keys = CachedBytes / length;
        int hot = HotBytes / length;
        for (int i = 0; i < keys; i++) cache.Set(KeyOf(i), BytesValue.Of(KeyOf(i), 1, length), BytesCache.ForEver);
        Read(cache, hot, keys);
        var before = cache.GetStatistics();

        Read(cache, hot, keys);

        Assert.InRange(cache.GetStatistics().MemoryHits - before.MemoryHits, Reads * 2 / 3 * 0.8, Reads);
    }

    public void Dispose() => _directory.Dispose();

    private static string KeyOf(int number) => $"key:{number}";

    /// <summary>Reads two of three times one of few keys, and else one of those not read for longest.</summary>
    private void Read(FasterDistributedCache cache, int hot, int keys)
    {
        for (int i = 0; i < Reads; i++)
        {
            cache.Get(KeyOf(i % 3 == 0 ? hot + (i / 3 % (keys - hot)) : i % hot));
            if (i % 50 == 0) _housekeeping.Advance(Housekeeper.Tick);
        }
    }
}
