using System.Diagnostics.Metrics;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace HybridCaching.Configuration;

/// <summary>What a cache gets from where it is used, rather than from its options.</summary>
internal sealed record Surroundings
{
    /// <summary>The name of a cache whose options give none; null for the one its type has.</summary>
    public string? DefaultName { get; init; }

    /// <summary>Where a relative directory begins; null for the current directory.</summary>
    public string? ContentRoot { get; init; }

    /// <summary>The clock of a cache whose options give none.</summary>
    public TimeProvider Clock { get; init; } = TimeProvider.System;

    /// <summary>The clock of housekeeping, which tests wind by hand.</summary>
    public TimeProvider HousekeepingClock { get; init; } = TimeProvider.System;

    /// <summary>Bytes of memory that this process can have.</summary>
    public long AvailableMemory { get; init; } = GC.GetGCMemoryInfo().TotalAvailableMemoryBytes is > 0 and var bytes ? bytes : long.MaxValue;

    public ILoggerFactory? LoggerFactory { get; init; }

    public IMeterFactory? MeterFactory { get; init; }

    /// <summary>Where a cache logs.</summary>
    public ILogger NewLogger() => LoggerFactory?.CreateLogger("HybridCaching") ?? NullLogger.Instance;
}
