namespace HybridCaching.Throughput.Contestants;

/// <summary>What both caches of the library are given; all else is their default.</summary>
internal static class OwnSettings
{
    private const long LeastDisk = 64 << 20;

    public static void Apply(FasterCacheOptions options, Conditions conditions, string directory)
    {
        options.Name = "throughput";
        options.Directory = directory;
        options.MemoryBudget = conditions.Memory;
        options.DiskBudget = LeastDisk + (long)(conditions.DiskTimesData * conditions.DataBytes);
        options.DiskIo = conditions.PageCache == PageCacheUse.Budgeted ? DiskIo.Direct : DiskIo.Buffered;
        options.DiskTimeout = TimeSpan.FromSeconds(10);
        options.WhenDirectoryUnavailable = DirectoryUnavailable.Throw;
    }

    public static string Describe(FasterCacheOptions options) => $"MemoryBudget {options.MemoryBudget:H}, DiskBudget {options.DiskBudget:H}, DiskIo.{options.DiskIo}, DiskTimeout {options.DiskTimeout.TotalSeconds:N0} s";
}
