using HybridCaching.Throughput.Native;
using Microsoft.Win32.SafeHandles;

namespace HybridCaching.Throughput.Measuring;

/// <summary>What the page cache of the system holds of the files in a folder.</summary>
internal static class PageCache
{
    /// <summary>Whether the system tells.</summary>
    public static bool IsKnown { get; } = OperatingSystem.IsLinux() && File.Exists("/proc/self/exe") && Probe();

    /// <summary>Bytes of the files in the page cache, and how many of them are yet to be written. Files that go meanwhile are gone.</summary>
    public static (long Cached, long Dirty) Of(string folder)
    {
        (long Cached, long Dirty) sum = default;
        if (!IsKnown || !Directory.Exists(folder)) return sum;
        foreach (string path in Directory.EnumerateFiles(folder, "*", SearchOption.AllDirectories))
        {
            using var file = TryOpen(path);
            if (file is null || Of(file) is not { } counts) continue;
            sum.Cached += (long)counts.Cached * Environment.SystemPageSize;
            sum.Dirty += (long)counts.Dirty * Environment.SystemPageSize;
        }

        return sum;
    }

    public static SafeFileHandle? TryOpen(string path)
    {
        try
        {
            return File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    private static unsafe CacheCounts? Of(SafeFileHandle file)
    {
        CacheRange all = default;
        CacheCounts counts;
        return PageCacheImports.CacheStat((int)file.DangerousGetHandle(), &all, &counts) == 0 ? counts : null;
    }

    private static bool Probe()
    {
        using var file = TryOpen(Environment.ProcessPath!);
        return file is not null && Of(file) is not null;
    }
}
