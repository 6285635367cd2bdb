using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Distributed;

/// <summary>In storms of values of 50 B to 300 kB, both budgets hold at every moment.</summary>
public sealed class BytesBudgetTests : IDisposable
{
    private readonly TestDirectory _directory = new();

    [Theory]
    [InlineData("16MB", "64MB", 512)]
    [InlineData("16MB", "64MB", 30_000)]
    [InlineData("48MB", "128MB", 4096)]
    [InlineData("32MB", null, 512)]
    [InlineData("32MB", null, 30_000)]
    public void Usage_StormOfAllSizes_IsNeverAboveTheBudget(string memory, string? disk, long typicalBytes)
    {
        using var cache = Open(memory, disk, typicalBytes);
        long budget = cache.GetMemoryUsage().Budget;

        long most = Storm(cache, threads: 1, bytesPerThread: 8 * budget, static cache => cache.GetMemoryUsage().Total);

        Assert.InRange(most, budget / 2, budget);
    }

    [Theory]
    [InlineData("24MB", "96MB")]
    [InlineData("32MB", null)]
    public void Usage_StormOfAllSizesFromManyThreads_IsNeverAboveTheBudget(string memory, string? disk)
    {
        using var cache = Open(memory, disk);
        long budget = cache.GetMemoryUsage().Budget;

        long most = Storm(cache, threads: 6, bytesPerThread: 3 * budget, static cache => cache.GetMemoryUsage().Total);

        Assert.InRange(most, budget / 2, budget);
    }

    /// <summary>Clearing gives nearly all pages back at once.</summary>
    [Fact]
    public void Usage_ClearedInAStorm_IsNeverAboveTheBudget()
    {
        using var cache = Open("64MB", disk: null);
        long budget = cache.GetMemoryUsage().Budget;
        long most = 0;
        bool isOver = false;
        Crew.Run(
            () =>
            {
                Storm(cache, threads: 5, bytesPerThread: 10 * budget, static _ => 0);
                Volatile.Write(ref isOver, true);
            },
            () =>
            {
                for (int i = 1; !Volatile.Read(ref isOver); i++)
                {
                    most = Math.Max(most, cache.GetMemoryUsage().Total);
                    if (i % 4096 == 0) cache.Clear();
                }
            });

        Assert.InRange(most, budget / 2, budget);
    }

    /// <summary>Entries as long as that are cut into pieces: there has to be an index for all of these.</summary>
    [Theory]
    [InlineData(20_000)]
    [InlineData(64_000)]
    [InlineData(300_000)]
    public void Set_LongEntriesAsTold_MostOfTheDiskIsUsed(int length)
    {
        using var cache = Open("16MB", "64MB", typicalBytes: Math.Min(length, 64 << 10));
        int count = (int)((64L << 20) * 3 / 4 / length);

        for (int i = 0; i < count; i++) cache.Set($"long:{i}", BytesValue.Of($"long:{i}", 1, length), BytesCache.ForEver);

        Assert.Equal(0, cache.GetStatistics().Evictions);
    }

    /// <summary>Many entries much smaller than the typical one: the index has to hold more of them than it was planned for, or the log to be shorter.</summary>
    [Fact]
    public void Usage_EntriesMuchSmallerThanTypical_IsNeverAboveTheBudget()
    {
        using var cache = Open("16MB", "64MB", typicalBytes: 64 << 10);
        long budget = cache.GetMemoryUsage().Budget;
        long most = 0;
        for (int i = 0; i < 400_000; i++)
        {
            cache.Set($"small:{i}", [1, 2, 3], BytesCache.ForEver);
            if (i % 500 == 0) most = Math.Max(most, cache.GetMemoryUsage().Total);
        }

        Assert.InRange(most, budget / 2, budget);
    }

    [Theory]
    [InlineData("16MB", "64MB")]
    [InlineData("64MB", "32MB")]
    public void Folder_StormOfAllSizes_IsNeverAboveTheBudget(string memory, string disk)
    {
        using var cache = Open(memory, disk);
        long budget = ((ByteSize)disk).Bytes;

        long most = Storm(cache, threads: 1, bytesPerThread: 4 * budget, SizeOfFolder);

        Assert.InRange(most, budget / 4, budget);
    }

    [Fact]
    public void Folder_StormOfAllSizesFromManyThreads_IsNeverAboveTheBudget()
    {
        using var cache = Open("24MB", "64MB");

        long most = Storm(cache, threads: 6, bytesPerThread: 32 << 20, SizeOfFolder);

        Assert.InRange(most, 16 << 20, 64 << 20);
    }

    [Fact]
    public void Folder_StormRestartAndStorm_IsNeverAboveTheBudget()
    {
        const long Budget = 48 << 20;
        for (int run = 0; run < 3; run++)
        {
            using (var cache = Open("16MB", "48MB")) Assert.InRange(Storm(cache, threads: 2, bytesPerThread: Budget, SizeOfFolder), 1 << 20, Budget);
            Assert.InRange(FolderSize.Of(BytesCache.FolderIn(_directory.Path)), 1 << 20, Budget);
        }
    }

    [Fact]
    public void Get_AfterAStorm_FindsTheNewestAndNotTheOldest()
    {
        const int Entries = 8_000;
        using var cache = Open("16MB", "64MB");
        for (int i = 0; i < Entries; i++) cache.Set($"{i}", BytesValue.Of($"{i}", 1, 20_000), BytesCache.ForEver);

        Assert.Equal((800, 0), (CountHits(Entries - 800, 800), CountHits(0, 800)));
        Assert.Equal(0, cache.GetStatistics().CorruptEntries);

        int CountHits(int first, int count) => Enumerable.Range(first, count).Count(i =>
        {
            byte[]? value = cache.Get($"{i}");
            if (value is not null) Assert.True(value.AsSpan().SequenceEqual(BytesValue.Of($"{i}", 1, 20_000)), $"key {i}");
            return value is not null;
        });
    }

    [Fact]
    public void Clear_AfterAStorm_GivesTheDiskBack()
    {
        using var cache = Open("16MB", "64MB");
        Storm(cache, threads: 1, bytesPerThread: 96 << 20, static _ => 0);

        cache.Clear();

        Until.True(() => SizeOfFolder(cache) < 4 << 20, "the files are removed");
    }

    public void Dispose() => _directory.Dispose();

    /// <summary>Stores values of all sizes, some under keys that were stored before, reads and removes some, and samples something.</summary>
    /// <returns>The largest sample.</returns>
    private static long Storm(FasterDistributedCache cache, int threads, long bytesPerThread, Func<FasterDistributedCache, long> sample)
    {
        const int SamplesOneIn = 16;
        long[] most = new long[threads];
        byte[] bytes = BytesValue.Of("storm", 1, BytesCache.LargestValue);
        Crew.Run(threads, me =>
        {
            var random = new Random(me + 1);
            long left = bytesPerThread;
            for (int i = 0; left > 0; i++)
            {
                string key = $"{me}:{(random.Next(4) == 0 ? random.Next(i + 1) : i)}";
                int length = BytesValue.AnyLength(random);
                cache.Set(key, new System.Buffers.ReadOnlySequence<byte>(bytes, 0, length), BytesCache.ForEver);
                left -= length;
                if (random.Next(4) == 0) cache.Get($"{me}:{random.Next(i + 1)}");
                if (random.Next(16) == 0) cache.Remove($"{me}:{random.Next(i + 1)}");
                if (i % SamplesOneIn == 0) most[me] = Math.Max(most[me], sample(cache));
            }

            most[me] = Math.Max(most[me], sample(cache));
        });
        return most.Max();
    }

    private long SizeOfFolder(FasterDistributedCache cache) => FolderSize.Of(BytesCache.FolderIn(_directory.Path));

    private FasterDistributedCache Open(string memory, string? disk, long typicalBytes = 4096) =>
        BytesCache.Open(disk is null ? null : _directory.Path, memory, disk ?? "1GB", o => o.TypicalEntryBytes = typicalBytes);
}
