using System.Runtime.InteropServices;

namespace HybridCaching.Benchmarks.Shared;

/// <summary>What a result must name to mean anything: processor, cores, system, runtime.</summary>
internal static class Machine
{
    public static string Describe() =>
        $"{Processor()}, {Environment.ProcessorCount} cores, {RuntimeInformation.OSDescription.Trim()}{Kernel()}, {RuntimeInformation.FrameworkDescription}, {(System.Runtime.GCSettings.IsServerGC ? "server" : "workstation")} GC";

    /// <summary>Some of what is measured needs a newer one than others.</summary>
    private static string Kernel() => OperatingSystem.IsLinux() ? $", Linux {Environment.OSVersion.Version.ToString(2)}" : "";

    private static string Processor()
    {
        const string CpuInfo = "/proc/cpuinfo";
        string? line = File.Exists(CpuInfo) ? File.ReadLines(CpuInfo).FirstOrDefault(each => each.StartsWith("model name", StringComparison.Ordinal)) : null;
        return line?[(line.IndexOf(':') + 1)..].Trim()
            ?? Environment.GetEnvironmentVariable("PROCESSOR_IDENTIFIER")
            ?? RuntimeInformation.ProcessArchitecture.ToString();
    }
}
