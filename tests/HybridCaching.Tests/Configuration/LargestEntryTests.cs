using System.Runtime.CompilerServices;
using HybridCaching.Configuration;
using HybridCaching.Records;
using HybridCaching.Tests.Support;
using HybridCaching.Tiering;

namespace HybridCaching.Tests.Configuration;

/// <summary>The largest entry that is accepted has to work everywhere: in memory, on the disk, in a call that waits and in one that does not.</summary>
public sealed class LargestEntryTests : IDisposable
{
    private const int Count = 1000;

    /// <summary>Entries of 60 KiB overflow the stack of a thread of the device, and with it the process; 64 KiB cannot be elements of the arrays that FASTER makes.</summary>
    private const int FirstToFailBytes = 60 << 10;

    private const int LargestBytes = StoredTypes.MaximumEntryBytes < FirstToFailBytes ? StoredTypes.MaximumEntryBytes : 48 << 10;
    private const int Words = (LargestBytes - sizeof(long)) / sizeof(long);

    private readonly TestDirectory _directory = new();

    [Fact]
    public void TryGet_FromDisk_Works()
    {
        using var cache = OpenAndFill();

        for (long key = 0; key < Count; key++) Assert.True(cache.TryGet(key, out var value) && IsOf(in value, key), $"key {key}");
        Assert.InRange(cache.GetStatistics().DiskHits, 1, Count);
    }

    [Fact]
    public async Task GetAsync_FromDisk_Works()
    {
        using var cache = OpenAndFill();

        for (long key = 0; key < Count; key++)
        {
            var value = await cache.GetAsync(key, TestContext.Current.CancellationToken);
            Assert.True(value is { } found && IsOf(in found, key), $"key {key}");
        }
    }

    [Fact]
    public void TryGet_WithoutDisk_Works()
    {
        using var cache = new FasterCache<long, Largest>(new FasterCacheOptions { MemoryBudget = "256MB" });
        cache.Set(1, Of(1));

        Assert.True(cache.TryGet(1, out var value) && IsOf(in value, 1));
    }

    [Fact]
    public void Cache_EntryThatTheRuntimeCannotHandle_IsRefused() => Assert.Throws<ArgumentException>(() => new FasterCache<long, TooLarge>(new FasterCacheOptions { MemoryBudget = "1GB" }));

    public void Dispose() => _directory.Dispose();

    private static Largest Of(long key)
    {
        Largest value = default;
        for (int i = 0; i < Words; i += 101) value[i] = Stamp.Of(key, i).First;
        value[Words - 1] = (ulong)key;
        return value;
    }

    private static bool IsOf(in Largest value, long key) => Same(in value, Of(key));

    private static bool Same(in Largest left, in Largest right) => ((ReadOnlySpan<ulong>)left).SequenceEqual(right);

    private FasterCache<long, Largest> OpenAndFill()
    {
        const long DiskBudget = 1L << 30;
        var cache = new FasterCache<long, Largest>(new FasterCacheOptions
        {
            Directory = _directory.Path,
            MemoryBudget = MemoryPlan.SmallestMemoryBudget(DiskBudget, LargestBytes + 16, readers: TieredCache<long, Largest>.ReadBuffers),
            DiskBudget = DiskBudget,
            DiskTimeout = Until.Deadline,
        });
        for (long key = 0; key < Count; key++) cache.Set(key, Of(key));
        cache.Tiers.Flush();
        cache.Tiers.Device!.Fault = static _ => false; // every read goes to the threads of the device, whose stacks are small
        return cache;
    }

    [InlineArray(Words)]
    private struct Largest
    {
        private ulong _first;
    }

    [InlineArray(FirstToFailBytes)]
    private struct TooLarge
    {
        private byte _first;
    }
}
