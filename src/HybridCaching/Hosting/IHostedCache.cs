using HybridCaching.Diagnostics;

namespace HybridCaching.Hosting;

/// <summary>What a host and a health check want of a cache, whatever its keys and values are.</summary>
internal interface IHostedCache : ICacheFigures
{
    public string Name { get; }

    /// <summary>Writes a checkpoint, so that ending the process is a clean end. The first call that needs the log afterwards makes it void.</summary>
    /// <returns>Whether there is a checkpoint now.</returns>
    public Task<bool> CheckpointAsync(CancellationToken cancellationToken);
}
