using System.Diagnostics;
using System.Globalization;

namespace HybridCaching.Benchmarks.Workloads;

/// <summary>What the system says of this process.</summary>
internal static class ProcessMemory
{
    /// <summary>Memory that the process has for itself, as Linux tells; elsewhere its private bytes.</summary>
    public static long Anonymous()
    {
        const string Status = "/proc/self/status";
        const string Field = "RssAnon:";
        if (!File.Exists(Status)) return Process.GetCurrentProcess().PrivateMemorySize64;
        string line = File.ReadLines(Status).First(line => line.StartsWith(Field, StringComparison.Ordinal));
        return 1024 * long.Parse(line.AsSpan(Field.Length).TrimEnd("kB"), CultureInfo.InvariantCulture);
    }
}
