using Microsoft.Extensions.Hosting;

namespace HybridCaching.Tests.Hosting;

/// <summary>A service of an application, which does something when it is started and when it is stopped.</summary>
internal sealed class HostedProbe : IHostedService
{
    public Action OnStart { get; init; } = static () => { };

    public Action OnStop { get; init; } = static () => { };

    public bool HasStarted { get; private set; }

    public bool HasStopped { get; private set; }

    public Task StartAsync(CancellationToken cancellationToken)
    {
        OnStart();
        HasStarted = true;
        return Task.CompletedTask;
    }

    public Task StopAsync(CancellationToken cancellationToken)
    {
        OnStop();
        HasStopped = true;
        return Task.CompletedTask;
    }
}
