using HybridCaching.Tests.Configuration;
using HybridCaching.Tests.Distributed;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Recovery;

/// <summary>A cache that was resized and closed is warm again if it is opened with the budgets that it had at last.</summary>
public sealed class ResizedRestartTests : IDisposable
{
    private readonly TestDirectory _directory = new();
    private readonly CollectingLoggerFactory _log = new();

    [Theory]
    [InlineData("24MB", "48MB", "96MB", "48MB")]
    [InlineData("24MB", "48MB", "96MB", "192MB")]
    [InlineData("48MB", "96MB", "20MB", "96MB")]
    [InlineData("48MB", "96MB", "24MB", "32MB")]
    [InlineData("16MB", "64MB", "16MB", "24MB")]
    public void Open_WithTheBudgetsOfTheEnd_FindsTheSame(string memory, string disk, string newMemory, string newDisk)
    {
        HashSet<long> kept;
        using (var cache = OpenPayloads(memory, disk))
        {
            for (long key = 0; key < 30_000; key++) cache.Set(key, Payload.Of(key));
            cache.Resize(newMemory, newDisk);
            for (long key = 30_000; key < 60_000; key++) cache.Set(key, Payload.Of(key));
            kept = KeysIn(cache);
        }

        using var again = OpenPayloads(newMemory, newDisk);

        Assert.Empty(_log.Warnings);
        Assert.InRange(KeysIn(again).Count, kept.Count * 98 / 100, kept.Count); // copies of what the log had dropped are gone
        for (long key = 55_000; key < 60_000; key++) Assert.True(again.TryGet(key, out var value) && Payload.IsOf(in value, key));
    }

    [Fact]
    public void Open_IndexHasSeveralTables_FindsTheSame()
    {
        const int Count = 1_500_000;
        int kept;
        using (var cache = OpenLongs("32MB", "24MB"))
        {
            cache.Resize("64MB", "96MB");
            for (long key = 0; key < Count; key++) cache.Set(key, ~key);
            Assert.InRange(cache.Tiers.Plan.SettledTables.Length, 2, 4);
            kept = CountHits(cache, Count);
        }

        using var again = OpenLongs("64MB", "96MB");

        Assert.Empty(_log.Warnings);
        Assert.InRange(CountHits(again, Count), kept * 98 / 100, kept);
    }

    [Fact]
    public void Open_ResizedAgainAfterARestart_FindsTheSame()
    {
        const int Count = 300_000;
        using (var cache = OpenLongs("64MB", "64MB"))
        {
            for (long key = 0; key < Count; key++) cache.Set(key, ~key);
            cache.Resize("24MB", "48MB");
        }

        using (var again = OpenLongs("24MB", "48MB")) again.Resize("48MB", "64MB");
        using var last = OpenLongs("48MB", "64MB");

        Assert.Empty(_log.Warnings);
        Assert.InRange(CountHits(last, Count), Count - 20, Count);
    }

    /// <summary>Its files are those of a cache that keeps nothing of what the log lets go.</summary>
    [Fact]
    public void Open_DiskWasTooSmallForABudgetOfWrites_HasOne()
    {
        using (var cache = OpenLongs("24MB", "5MB"))
        {
            for (long key = 0; key < 10_000; key++) cache.Set(key, ~key);
            cache.Resize("24MB", "64MB");
        }

        var options = Options("24MB", "64MB");
        options.DiskWriteBudget = "1MB";
        using var again = new FasterCache<long, long>(options, _log);

        Assert.True(again.Tiers.Plan.SettledSegments > 0);
    }

    /// <summary>As of one that was not resized: its files are of other sizes than those of a cache with these budgets.</summary>
    [Fact]
    public void Open_WithTheBudgetsOfTheBeginning_AnswersNothingWrong()
    {
        using (var cache = OpenLongs("64MB", "64MB"))
        {
            for (long key = 0; key < 10_000; key++) cache.Set(key, ~key);
            cache.Resize("24MB", "48MB");
        }

        using var again = OpenLongs("64MB", "64MB");
        int hits = CountHits(again, 10_000);

        Assert.Equal(hits == 0 ? 1 : 0, _log.Warnings.Count);
    }

    [Fact]
    public void Open_WithTheBudgetsOfTheEnd_KeepsBothBudgets()
    {
        using (var cache = OpenPayloads("48MB", "96MB"))
        {
            for (long key = 0; key < 60_000; key++) cache.Set(key, Payload.Of(key));
            cache.Resize("20MB", "32MB");
        }

        using var again = OpenPayloads("20MB", "32MB");
        long most = 0;
        for (long key = 0; key < 60_000; key++)
        {
            again.Set(key, Payload.Of(key));
            if (key % 100 == 0) most = Math.Max(most, FolderSize.Of(StampCache.FolderIn(_directory.Path)));
        }

        Assert.InRange(most, 16 << 20, 32 << 20);
        Assert.Equal(0, again.GetStatistics().DiskWriteErrors);
        Until.True(() => again.GetMemoryUsage().Total <= 20 << 20, "the memory budget holds");
    }

    [Fact]
    public void OpenBytes_WithTheBudgetsOfTheEnd_FindsTheSame()
    {
        using (var cache = BytesCache.Open(_directory.Path, "48MB", "64MB"))
        {
            for (int i = 0; i < 2_000; i++) cache.Set($"key{i}", BytesValue.Of($"key{i}", 1, 2_000), BytesCache.ForEver);
            cache.Resize("32MB", "32MB");
        }

        using var again = BytesCache.Open(_directory.Path, "32MB", "32MB", log: _log);

        Assert.Empty(_log.Warnings);
        for (int i = 0; i < 2_000; i++) Assert.Equal(BytesValue.Of($"key{i}", 1, 2_000), again.Get($"key{i}"));
    }

    public void Dispose() => _directory.Dispose();

    private static HashSet<long> KeysIn(FasterCache<long, Payload> cache)
    {
        var keys = new HashSet<long>();
        for (long key = 0; key < 60_000; key++)
        {
            if (!cache.TryGet(key, out var value)) continue;
            Assert.True(Payload.IsOf(in value, key));
            keys.Add(key);
        }

        return keys;
    }

    private static int CountHits(FasterCache<long, long> cache, int count)
    {
        int hits = 0;
        for (long key = 0; key < count; key++)
        {
            if (!cache.TryGet(key, out long value)) continue;
            Assert.Equal(~key, value);
            hits++;
        }

        return hits;
    }

    private FasterCache<long, Payload> OpenPayloads(string memory, string disk) => new(Options(memory, disk), _log);

    private FasterCache<long, long> OpenLongs(string memory, string disk) => new(Options(memory, disk), _log);

    private FasterCacheOptions Options(string memory, string disk) =>
        new() { Directory = _directory.Path, Name = StampCache.Name, MemoryBudget = memory, DiskBudget = disk, DiskTimeout = Until.Deadline };
}
