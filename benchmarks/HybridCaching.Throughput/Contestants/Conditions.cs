using System.Text.Json.Serialization;
using HybridCaching.Throughput.Workloads;

namespace HybridCaching.Throughput.Contestants;

/// <summary>What is the same for all contestants of a comparison.</summary>
internal sealed record Conditions
{
    /// <summary>
    /// What a process may grow by for each byte of <see cref="Memory"/>, with its files in the page cache, where a contestant relies on that: about as much as those come to that are told their memory, with their code, what lies free between their
    /// allocations, and garbage.
    /// </summary>
    public const double GrowthTimesMemory = 1.5;

    /// <summary>
    /// Where other entries become the popular ones a workload runs so many times as long before it is measured: whoever keeps some of the data in memory has to find out which, with a
    /// read of the disk for each value. In the second second 6 to 9 percentage points more of the reads go to the disk than in the fourteenth, in the seventh 1 to 2.
    /// </summary>
    public const int SettlingWarmUps = 6;

    /// <summary>Bytes of a value.</summary>
    public required int ValueBytes { get; init; }

    /// <summary>Bytes of memory that a contestant may take.</summary>
    public required long Memory { get; init; }

    /// <summary>Bytes of keys and values for each byte of memory.</summary>
    public required double Ratio { get; init; }

    public required int Threads { get; init; }

    /// <summary>How long a workload is measured, in seconds.</summary>
    public required double Seconds { get; init; }

    /// <summary>How long it runs before, in seconds, if the popular entries are those of the workload before.</summary>
    public required double WarmUpSeconds { get; init; }

    public required PageCacheUse PageCache { get; init; }

    /// <summary>
    /// Bytes of disk for each of keys and values, for who is told how many it may take: about what FasterKV's file grows to. The log keeps what was overwritten until its segment goes, so less would mean that the oldest keys were dropped, and that there was
    /// less to read than for others.
    /// </summary>
    public double DiskTimesData { get; init; } = 1.5;

    /// <summary>Entries at first: text key and value of all of them are <see cref="Ratio"/> times the memory.</summary>
    [JsonIgnore]
    public int Entries => (int)(Memory * Ratio / (KeyText.Length + ValueBytes));

    [JsonIgnore]
    public long DataBytes => (long)Entries * (KeyText.Length + ValueBytes);

    /// <summary>How long a workload runs before it is measured, in seconds.</summary>
    /// <param name="mix">The workload.</param>
    /// <param name="before">The one before; null after filling.</param>
    public double WarmUpOf(Mix mix, Mix? before) => WarmUpSeconds * (before?.IsLatest == mix.IsLatest ? 1 : SettlingWarmUps);
}
