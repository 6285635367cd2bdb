using HybridCaching.Diagnostics;
using Microsoft.Extensions.Hosting;

namespace HybridCaching.Hosting;

/// <summary>Opens all registered caches when the host starts, before it takes requests, and writes their checkpoints when it stops.</summary>
/// <remarks>
/// The host calls <see cref="StartingAsync"/> before it starts any of its services, and <see cref="StoppedAsync"/> after it has stopped all of them. Services stop in the reverse order of their
/// registration: one that uses a cache after <see cref="StopAsync"/> makes its checkpoint void, and <see cref="StoppedAsync"/> writes another.
/// </remarks>
internal sealed class CacheHost(IServiceProvider services, IEnumerable<CacheRegistration> registrations, OpenCaches caches) : IHostedLifecycleService
{
    public Task StartingAsync(CancellationToken cancellationToken) => OpenAsync(cancellationToken);

    public Task StartAsync(CancellationToken cancellationToken) => OpenAsync(cancellationToken);

    public Task StartedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StoppingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StopAsync(CancellationToken cancellationToken) => CheckpointAsync(cancellationToken);

    public Task StoppedAsync(CancellationToken cancellationToken) => CheckpointAsync(cancellationToken);

    /// <summary>All at once: each waits for a disk.</summary>
    private Task OpenAsync(CancellationToken cancellationToken) =>
        Task.WhenAll(registrations.Where(r => caches.Of(r) is null).Select(r => Task.Run(() => r.Resolve(services), cancellationToken))).ObserveFaults().WaitAsync(cancellationToken);

    private Task CheckpointAsync(CancellationToken cancellationToken) =>
        Task.WhenAll(caches.All.Select(c => c.CheckpointAsync(cancellationToken)));
}
