using HybridCaching.Diagnostics;
using HybridCaching.Tests.Support;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;

namespace HybridCaching.Tests.Hosting;

/// <summary>An old host and a new one on one directory, as in a rolling deployment or when IIS recycles.</summary>
public sealed class OverlappingHostsTests : IDisposable
{
    private const int Entries = 1_000;

    private readonly TestDirectory _directory = new();
    private readonly CollectingLoggerFactory _log = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public async Task Start_OldOneStillThere_ServesFromMemoryAndSaysSo()
    {
        using var old = await StartAsync();
        using var young = await StartAsync(_log);
        young.Typed().Fill(0, Entries, version: 2);
        young.Bytes().Set("key", App.Value, new());

        Found.All(Entries, young.Typed().CountHits(0, Entries, version: 2));
        Assert.Equal(App.Value, young.Bytes().Get("key"));
        Assert.Equal(2, _log.Entries.Count(e => e.Id.Name == nameof(Log.DirectoryUnavailable)));
        Assert.NotNull(young.Typed().GetStatistics().DiskUnavailableReason);
    }

    [Fact]
    public async Task Health_OldOneStillThere_IsDegradedForTheNewOnly()
    {
        using var old = await StartAsync();
        using var young = await StartAsync();

        Assert.Equal(HealthStatus.Healthy, (await CheckAsync(old)).Status);
        Assert.Equal(HealthStatus.Degraded, (await CheckAsync(young)).Status);
    }

    [Fact]
    public async Task Stop_OldFirst_NewTakesOverAndBothEndWell()
    {
        using var old = await StartAsync();
        old.Typed().Fill(0, Entries, version: 1);
        using (var young = await StartAsync(_log))
        {
            young.Typed().Fill(0, Entries, version: 2);
            await old.StopAsync();
            old.Dispose();
            Until.True(() => young.Typed().GetStatistics().DiskUnavailableReason is null && young.Bytes().GetStatistics().DiskUnavailableReason is null, "the new host takes over");
            Assert.Equal(HealthStatus.Healthy, (await CheckAsync(young)).Status);
            Found.All(Entries, young.Typed().CountHits(0, Entries, version: 2));
            await young.StopAsync();
        }

        using var next = await StartAsync();
        Found.All(Entries, next.Typed().CountHits(0, Entries, version: 2));
    }

    [Fact]
    public async Task Stop_NewFirst_LeavesTheOldOnesCheckpointAlone()
    {
        using (var old = await StartAsync())
        {
            old.Typed().Fill(0, Entries, version: 1);
            using (var young = await StartAsync())
            {
                young.Typed().Fill(0, Entries, version: 2);
                await young.StopAsync();
            }

            await old.StopAsync();
        }

        using var next = await StartAsync();
        Found.All(Entries, next.Typed().CountHits(0, Entries, version: 1));
    }

    /// <summary>While the old one rests with its checkpoint it has not given the directory free.</summary>
    [Fact]
    public async Task Start_OldOneStoppedButNotDisposed_ServesFromMemory()
    {
        using var old = await StartAsync();
        old.Typed().Fill(0, Entries, version: 1);
        await old.StopAsync();
        using (var young = await StartAsync())
        {
            Assert.NotNull(young.Typed().GetStatistics().DiskUnavailableReason);
            await young.StopAsync();
        }

        old.Dispose();
        using var next = await StartAsync();
        Found.All(Entries, next.Typed().CountHits(0, Entries, version: 1));
    }

    [Fact]
    public async Task Restart_Sequential_IsWarmEachTime()
    {
        for (int version = 1; version <= 4; version++)
        {
            using var host = await StartAsync(_log);
            if (version > 1) Found.All(Entries, host.Typed().CountHits(0, Entries, version - 1));
            host.Typed().Fill(0, Entries, version);
            await host.StopAsync();
        }

        Assert.Empty(_log.Warnings);
    }

    private static Task<HealthReport> CheckAsync(IHost host) => host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync();

    private async Task<IHost> StartAsync(CollectingLoggerFactory? log = null)
    {
        var builder = App.NewBuilder(log: log);
        builder.Services.AddFasterCache<long, Stamp>(o => App.Small(o, _directory.Path));
        builder.Services.AddFasterDistributedCache(o => App.Small(o, _directory.Path));
        builder.Services.AddHealthChecks().AddFasterCache();
        var host = builder.Build();
        await host.StartAsync();
        return host;
    }
}
