using System.Diagnostics;
using System.Globalization;

namespace HybridCaching.Benchmarks.Workloads;

/// <summary>What the system says of this process.</summary>
internal static class ProcessMemory
{
    /// <summary>Memory that belongs to no file of a disk, as Linux tells: what the process has for itself, and what it shares, as the index of a cache that outlives it; elsewhere its private bytes.</summary>
    public static long InMemoryOnly()
    {
        const string Status = "/proc/self/status";
        if (!File.Exists(Status)) return Process.GetCurrentProcess().PrivateMemorySize64;
        return File.ReadLines(Status).Select(static line => line.Split(':')).Where(static parts => parts[0] is "RssAnon" or "RssShmem")
            .Sum(static parts => 1024 * long.Parse(parts[1].TrimEnd("kB".ToCharArray()), CultureInfo.InvariantCulture));
    }
}
