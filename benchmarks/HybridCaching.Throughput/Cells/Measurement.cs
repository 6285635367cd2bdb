using System.Text.Json.Serialization;
using HybridCaching.Throughput.Contestants;
using HybridCaching.Throughput.Measuring;

namespace HybridCaching.Throughput.Cells;

/// <summary>What a workload came to, once.</summary>
internal sealed record Measurement
{
    /// <summary>The name of the phase in which the entries are stored.</summary>
    public const string Filling = "load";

    public required string Identity { get; init; }

    public required string Part { get; init; }

    public required string Contender { get; init; }

    /// <summary>A letter of YCSB, or <see cref="Filling"/>.</summary>
    public required string Workload { get; init; }

    public required int Repeat { get; init; }

    public required double? Rate { get; init; }

    public required Conditions Conditions { get; init; }

    public required string Settings { get; init; }

    public required double Seconds { get; init; }

    public required long Operations { get; init; }

    public required long Misses { get; init; }

    public required LatencyFigures Reads { get; init; }

    public required LatencyFigures Writes { get; init; }

    public required double CpuSeconds { get; init; }

    public required long WrittenBytes { get; init; }

    public required long ReadBytes { get; init; }

    /// <summary>The folder at the end.</summary>
    public required long DiskBytes { get; init; }

    /// <summary>The most that the process grew by since before the contestant was opened.</summary>
    public required long ResidentGrowth { get; init; }

    /// <summary>Of its files, in the page cache at the end.</summary>
    public required long PageCacheBytes { get; init; }

    public required long? MemoryInUse { get; init; }

    public required double LongestPauseMilliseconds { get; init; }

    public required double AllPausesMilliseconds { get; init; }

    /// <summary>How often the garbage collector ran.</summary>
    public required Collections Collections { get; init; }

    [JsonIgnore]
    public double PerSecond => Operations / Seconds;

    [JsonIgnore]
    public double MissPercent => 100.0 * Misses / Math.Max(1, Operations);

    /// <summary>The percentage of the time in which the garbage collector stopped all threads.</summary>
    [JsonIgnore]
    public double PausePercent => AllPausesMilliseconds / (10 * Seconds);

    [JsonIgnore]
    public double CpuMicroseconds => CpuSeconds * 1e6 / Math.Max(1, Operations);
}
