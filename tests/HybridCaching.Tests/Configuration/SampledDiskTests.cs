using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Configuration;

/// <summary>What the folder takes is looked at all the time while everything happens at once: it is never more than the budget.</summary>
public sealed class SampledDiskTests(ITestOutputHelper output)
{
    private const int Workers = 4;
    private const int Keys = 60_000;
    private const double Seconds = 3;
    private const int FewestChanges = 4;

    private static readonly (ByteSize Memory, ByteSize Disk)[] Budgets = [("24MB", "24MB"), ("48MB", "48MB"), ("20MB", "16MB"), ("32MB", "32MB")];

    /// <summary>A file system in memory says at once, and exactly, what is taken, files that were deleted while open included.</summary>
    [Fact]
    public void Folder_InMemory_IsNeverAboveTheBudget()
    {
        using var mount = new MountedDirectory("128m");
        Run(mount.Path, mount.Path, DiskIo.Buffered);
    }

    [Fact]
    public void Folder_OnXfs_IsNeverAboveTheBudget() => RunOn("xfs", DiskIo.Buffered);

    [Fact]
    public void Folder_OnXfsDirect_IsNeverAboveTheBudget() => RunOn("xfs", DiskIo.Direct);

    [Fact]
    public void Folder_OnExt4_IsNeverAboveTheBudget() => RunOn("ext4", DiskIo.Buffered);

    [Fact]
    public void Folder_Anywhere_IsNeverAboveTheBudget()
    {
        using var directory = new TestDirectory();
        Run(directory.Path, mount: null, DiskIo.Buffered);
    }

    private void RunOn(string kind, DiskIo io)
    {
        using var disk = new LoopDisk(kind);
        Run(disk.Path, mount: null, io);
    }

    private void Run(string directory, string? mount, DiskIo io)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "statx is Linux's.");
        using var cache = new FasterCache<long, Payload>(new FasterCacheOptions
        {
            Directory = directory,
            Name = StampCache.Name,
            MemoryBudget = Budgets[^1].Memory,
            DiskBudget = Budgets[^1].Disk,
            DiskIo = io,
            WhenDirectoryUnavailable = DirectoryUnavailable.Throw,
        });
        var duration = Duration.Of(Seconds);
        int changes = 0, checkpoints = 0;
        bool IsOver() => duration.IsOver && Volatile.Read(ref changes) >= FewestChanges; // on a disk that is busy with other things each takes its time
        using var sampler = new FolderSampler(StampCache.FolderIn(directory), mount, () => cache.GetStatistics().DiskBudget);
        Crew.Run(Workers + 2, me =>
        {
            var random = new Random(me);
            for (int i = 0; !IsOver(); i++)
            {
                if (me == Workers)
                {
                    cache.Resize(Budgets[i % Budgets.Length].Memory, Budgets[i % Budgets.Length].Disk);
                    changes++;
                    WaitForWrites(cache, 4_000);
                }
                else if (me == Workers + 1)
                {
                    if (i % 8 == 7) cache.Clear();
                    else if (i % 2 == 0 && cache.Tiers.CheckpointAsync(CancellationToken.None).GetAwaiter().GetResult()) checkpoints++;
                    else cache.FlushAsync().AsTask().GetAwaiter().GetResult();
                    WaitForWrites(cache, 6_000);
                }
                else
                {
                    Call(cache, random);
                }
            }

            void WaitForWrites(FasterCache<long, Payload> c, int count)
            {
                for (long end = c.GetStatistics().Writes + count; c.GetStatistics().Writes < end && !IsOver();) Thread.Yield();
            }
        });

        output.WriteLine($"{sampler.Samples} samples, blocks {sampler.MostAllocated}, lengths {sampler.MostLength}, taken {sampler.MostTaken}; {changes} changes, {checkpoints} checkpoints, {cache.GetStatistics()}");
        Assert.True(sampler.Violations.Count == 0, string.Join('\n', sampler.Violations));
        Assert.InRange(sampler.MostAllocated, 16 << 20, 48 << 20);
    }

    private static void Call(FasterCache<long, Payload> cache, Random random)
    {
        long key = random.Next(Keys);
        int choice = random.Next(10);
        if (choice < 6) cache.Set(key, Payload.Of(key));
        else if (choice < 7) cache.Remove(key);
        else if (cache.TryGet(key, out var value)) Assert.True(Payload.IsOf(in value, key));
    }
}
