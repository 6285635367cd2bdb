using System.Numerics;
using FASTER.core;

namespace HybridCaching.Benchmarks.Contestants;

/// <summary>The settings of a raw store; what is not said is FASTER's default.</summary>
internal sealed record StoreSettings
{
    /// <summary>FASTER rounds it down to a power of two.</summary>
    public required long IndexBytes { get; init; }

    /// <summary>The memory for the log: any size, made from the next power of two and empty pages.</summary>
    public required long LogBytes { get; init; }

    /// <summary>A 256th of the log, as a power of two from 64 KiB to 4 MiB, unless said.</summary>
    public long? PageBytes { get; init; }

    /// <summary>The memory for FASTER's read cache; 0 for none. FASTER rounds it down to a power of two.</summary>
    public long ReadCacheBytes { get; init; }

    public ConcurrencyControlMode Mode { get; init; } = ConcurrencyControlMode.LockTable;

    public IFasterEqualityComparer<long>? Comparer { get; init; }

    /// <summary>Whether an overwrite always appends a record.</summary>
    public bool AppendOnly { get; init; }

    public StoreAccess Access { get; init; } = StoreAccess.Basic;

    /// <summary>FASTER's own device for files; else the log's older part is lost, which suits what never leaves memory.</summary>
    public bool OnDisk { get; init; } = true;

    public long ActualPageBytes => PageBytes ?? Math.Clamp((long)BitOperations.RoundUpToPowerOf2((ulong)LogBytes) / 256, 64 << 10, 4 << 20);

    public long ActualBufferBytes => Math.Max((long)BitOperations.RoundUpToPowerOf2((ulong)LogBytes), 4 * ActualPageBytes);

    /// <summary>The pages to leave empty so that the log settles at its target instead of the power of two; 0 when that is the target.</summary>
    public int EmptyPages
    {
        get
        {
            int slots = (int)(ActualBufferBytes / ActualPageBytes);
            int target = Math.Max(2, (int)(LogBytes / ActualPageBytes));
            return target >= slots ? 0 : slots + 1 - target;
        }
    }
}
