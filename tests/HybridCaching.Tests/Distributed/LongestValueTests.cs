using System.Diagnostics;
using HybridCaching.Devices;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Distributed;

/// <summary>A value that the budgets can never hold is dropped like one that is longer than allowed: it does not push out all else in order to be lost.</summary>
public sealed class LongestValueTests : IDisposable
{
    private const string Key = "long";
    private const int Others = 2_000;

    private readonly TestDirectory _directory = new();
    private readonly CollectingLoggerFactory _log = new();

    /// <summary>Memory and disk budgets; the disk is null for none.</summary>
    public static TheoryData<string, string?> Budgets => new() { { "12MB", null }, { "12MB", "16MB" }, { "24MB", "5MB" } };

    public void Dispose() => _directory.Dispose();

    [Theory]
    [MemberData(nameof(Budgets))]
    [InlineData("32MB", null)]
    [InlineData("16MB", "64MB")]
    public void Set_OfTheLongest_RoundTrips(string memory, string? disk)
    {
        using var cache = Open(memory, disk);
        FillAndRead(cache);
        byte[] value = BytesValue.Of(Key, 1, (int)cache.Tiers.Plan.LongestValueBytes);

        cache.Set(Key, value, BytesCache.ForEver);

        Assert.True(value.AsSpan().SequenceEqual(cache.Get(Key)));
    }

    [Fact]
    public void Set_OfTheLongestBesideALargeHotTier_RoundTrips()
    {
        using var cache = Open("12MB", null, o => o.HotTierShare = 0.95);
        FillAndRead(cache);
        byte[] value = BytesValue.Of(Key, 1, (int)cache.Tiers.Plan.LongestValueBytes);

        cache.Set(Key, value, BytesCache.ForEver);

        Assert.True(value.AsSpan().SequenceEqual(cache.Get(Key)));
    }

    /// <summary>A value in pieces waits for room no longer than any other: not so long for each of them.</summary>
    [Fact]
    public void Set_InPiecesOnASlowDisk_GivesUpWithinTheTimeout()
    {
        var timeout = TimeSpan.FromMilliseconds(300);
        using var cache = Open("16MB", "64MB", o => o.DiskTimeout = timeout);
        FillAndRead(cache);
        cache.Tiers.Device!.Fault = static request =>
        {
            if (request.Kind == IoKind.Write) Thread.Sleep(100);
            return false;
        };
        byte[] value = BytesValue.Of(Key, 1, (int)cache.Tiers.Plan.LongestValueBytes);

        long start = Stopwatch.GetTimestamp();
        cache.Set(Key, value, BytesCache.ForEver);

        Assert.InRange(Stopwatch.GetElapsedTime(start), timeout, 4 * timeout);
        Assert.Null(cache.Get(Key));
    }

    [Theory]
    [MemberData(nameof(Budgets))]
    public void Set_LongerThanTheBudgetsHold_LeavesOtherKeys(string memory, string? disk)
    {
        using var cache = Open(memory, disk);
        for (int i = 0; i < Others; i++) cache.Set($"{i}", BytesValue.Of($"{i}", 1, 100), BytesCache.ForEver);

        cache.Set(Key, new byte[16 << 20], BytesCache.ForEver);

        Assert.Equal(Others, Enumerable.Range(0, Others).Count(i => cache.Get($"{i}") is not null));
    }

    [Theory]
    [MemberData(nameof(Budgets))]
    public void Set_LongerThanTheBudgetsHold_RemovesTheValueBefore(string memory, string? disk)
    {
        using var cache = Open(memory, disk);
        cache.Set(Key, [1, 2, 3], BytesCache.ForEver);

        cache.Set(Key, new byte[cache.Tiers.Plan.LongestValueBytes + 1], BytesCache.ForEver);

        Assert.Null(cache.Get(Key));
    }

    [Theory]
    [MemberData(nameof(Budgets))]
    public void Set_LongerThanTheBudgetsHold_IsCounted(string memory, string? disk)
    {
        using var cache = Open(memory, disk);

        cache.Set(Key, new byte[cache.Tiers.Plan.LongestValueBytes + 1], BytesCache.ForEver);

        Assert.Equal((1L, 0L), (cache.GetStatistics().DroppedWrites, cache.GetStatistics().Writes));
    }

    [Fact]
    public void Set_LongerThanTheBudgetsHold_SaysWhatTheyHold()
    {
        using var cache = Open("12MB", null);

        cache.Set(Key, new byte[10 << 20], BytesCache.ForEver);

        Assert.Contains($"these budgets hold values up to {new ByteSize(cache.Tiers.Plan.LongestValueBytes):H}", Assert.Single(_log.Warnings), StringComparison.Ordinal);
    }

    [Fact]
    public void Set_AfterTheMemoryHasGrown_HoldsLongerOnes()
    {
        using var cache = Open("12MB", null);
        byte[] value = BytesValue.Of(Key, 1, 10 << 20);

        cache.Resize("48MB", "0");
        cache.Set(Key, value, BytesCache.ForEver);

        Assert.True(value.AsSpan().SequenceEqual(cache.Get(Key)));
    }

    [Fact]
    public void Set_AfterTheMemoryHasShrunk_HoldsShorterOnes()
    {
        using var cache = Open("48MB", null);

        cache.Resize("16MB", "0");
        cache.Set(Key, new byte[12 << 20], BytesCache.ForEver);

        Assert.Equal(1, cache.GetStatistics().DroppedWrites);
    }

    /// <summary>Twice what there is room for, and some of it is read, so that it is kept.</summary>
    private static void FillAndRead(FasterDistributedCache cache)
    {
        var plan = cache.Tiers.Plan;
        long bytes = plan.Segments == 0 ? (long)plan.LogPages * plan.PageBytes : plan.Segments * plan.SegmentBytes;
        byte[] value = new byte[1_000];
        for (long i = 0; i * value.Length < 2 * bytes; i++)
        {
            cache.Set($"{i}", value, BytesCache.ForEver);
            if (i % 3 == 0) cache.Get($"{i / 2}");
        }
    }

    private FasterDistributedCache Open(string memory, string? disk, Action<FasterDistributedCacheOptions>? change = null) => BytesCache.Open(
        disk is null ? null : _directory.Path,
        memory,
        disk ?? "1GB",
        o =>
        {
            (o.MaximumValueBytes, o.TypicalEntryBytes) = ("1GB", "1KB");
            change?.Invoke(o);
        },
        _log);
}
