using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Distributed;

/// <summary>The budgets of a cache of bytes change while it is open.</summary>
public sealed class BytesResizeTests : IDisposable
{
    private const int Keys = 20_000;
    private const int Version = 1;

    private readonly TestDirectory _directory = new();
    private readonly CollectingLoggerFactory _log = new();

    private string Folder => BytesCache.FolderIn(_directory.Path);

    [Theory]
    [InlineData("64MB", "24MB", "96MB", "24MB")]
    [InlineData("64MB", "32MB", "96MB", "96MB")]
    [InlineData("64MB", "32MB", null, null)]
    public void Budgets_AfterShrinking_Hold(string memory, string newMemory, string? disk, string? newDisk)
    {
        using var cache = Open(memory, disk);
        Fill(cache, 0, 2 * Keys);

        cache.Resize(newMemory, newDisk ?? "0");

        Assert.Equal((ByteSize)newMemory, cache.GetMemoryUsage().Budget);
        Assert.InRange(cache.GetMemoryUsage().Total, 0, ((ByteSize)newMemory).Bytes);
        if (newDisk is not null) Assert.InRange(FolderSize.Of(Folder), 1 << 20, ((ByteSize)newDisk).Bytes);
        Found.All(2_000, CountHits(cache, (2 * Keys) - 2_000, 2_000));
    }

    [Fact]
    public void Get_AfterGrowing_FindsEverything()
    {
        using var cache = BytesCache.Open(_directory.Path, "24MB", "64MB", o => o.TypicalEntryBytes = "1500", _log); // or the index is planned for fewer
        Fill(cache, 0, Keys / 2);

        cache.Resize("96MB", "256MB");
        Fill(cache, Keys / 2, 5 * Keys);

        Assert.InRange(CountHits(cache, 0, 5 * Keys), 5 * Keys * 98 / 100, 5 * Keys);
    }

    [Fact]
    public void Get_LargeValuesAfterShrinkingMemory_FindsThem()
    {
        using var cache = Open("64MB", "128MB");
        byte[] large = BytesValue.Of("large", Version, BytesCache.LargestValue);
        cache.Set("large", large, BytesCache.ForEver);

        cache.Resize("24MB", "128MB");

        Assert.Equal(large, cache.Get("large"));
    }

    [Theory]
    [InlineData("96MB")]
    [InlineData(null)]
    public void Calls_BudgetsShrinkAndGrow_AnswerNothingWrongWithinTheBudgets(string? disk)
    {
        using var cache = Open("48MB", disk);
        var duration = Duration.Of(3);
        Crew.Run(4, me =>
        {
            var random = new Random(me);
            for (int i = 0; !duration.IsOver; i++)
            {
                if (me == 0)
                {
                    string memory = new[] { "36MB", "100MB", "40MB", "48MB" }[i % 4];
                    string newDisk = disk is null ? "0" : new[] { "48MB", "200MB", "96MB" }[i % 3];
                    cache.Resize(memory, newDisk);
                    for (int look = 0; look < 20; look++)
                    {
                        var usage = cache.GetMemoryUsage();
                        Assert.True(usage.Total <= usage.Budget && usage.Budget == (ByteSize)memory, usage.ToString());
                        Assert.True(disk is null || FolderSize.Of(Folder) <= ((ByteSize)newDisk).Bytes, newDisk);
                    }
                }
                else
                {
                    string key = $"key{random.Next(Keys)}";
                    if (i % 3 == 0) cache.Set(key, BytesValue.Of(key, Version, 50 + random.Next(random.Next(6000))), BytesCache.ForEver);
                    else if (cache.Get(key) is { } value) Assert.Equal(BytesValue.Of(key, Version, value.Length), value);
                }
            }
        });

        Assert.Equal(0, cache.GetStatistics().CorruptEntries);
    }

    /// <summary>Without a marker, what it invalidates would come back.</summary>
    [Fact]
    public void Resize_MoreMarkersThanMayBeKept_ClearsAndSaysSo()
    {
        using var cache = Open("128MB", "128MB");
        cache.Set("key", [1], BytesCache.ForEver);
        for (int i = 0; i < 4_000; i++) cache.Set($"__MSFT_HCT__tag{i}", new byte[8], BytesCache.ForEver);
        Assert.NotNull(cache.Get("__MSFT_HCT__tag0"));

        cache.Resize("36MB", "128MB");

        Assert.Null(cache.Get("key"));
        Assert.Contains("markers", Assert.Single(_log.Warnings), StringComparison.Ordinal);
    }

    [Fact]
    public void Resize_MarkersThatMayBeKept_KeepsThem()
    {
        using var cache = Open("128MB", "128MB");
        for (int i = 0; i < 100; i++) cache.Set($"__MSFT_HCT__tag{i}", new byte[8], BytesCache.ForEver);

        cache.Resize("36MB", "128MB");

        Assert.All(Enumerable.Range(0, 100), i => Assert.NotNull(cache.Get($"__MSFT_HCT__tag{i}")));
    }

    public void Dispose() => _directory.Dispose();

    private static void Fill(FasterDistributedCache cache, int first, int end)
    {
        for (int i = first; i < end; i++) cache.Set($"key{i}", BytesValue.Of($"key{i}", Version, 1000 + (i % 1000)), BytesCache.ForEver);
    }

    private static int CountHits(FasterDistributedCache cache, int first, int count)
    {
        int hits = 0;
        for (int i = first; i < first + count; i++)
        {
            if (cache.Get($"key{i}") is not { } value) continue;
            Assert.Equal(BytesValue.Of($"key{i}", Version, 1000 + (i % 1000)), value);
            hits++;
        }

        return hits;
    }

    private FasterDistributedCache Open(string memory, string? disk) => BytesCache.Open(disk is null ? null : _directory.Path, memory, disk ?? "1GB", log: _log);
}
