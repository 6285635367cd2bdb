using HybridCaching.Diagnostics;
using HybridCaching.Tests.Support;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace HybridCaching.Tests.Hosting;

/// <summary>A host that stops leaves checkpoints, whether or not it is disposed afterwards, and whatever its services still do.</summary>
public sealed class HostStopTests : IDisposable
{
    private const int Entries = 3_000;

    private readonly TestDirectory _directory = new();
    private readonly CollectingLoggerFactory _log = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public async Task StopAsync_ThenKilled_IsWarm()
    {
        using var host = await StartAndFillAsync();
        await host.StopAsync();

        Assert.Equal(Entries, HitsInCopy(version: 1));
    }

    [Fact]
    public async Task StopAsync_OfBytesThenKilled_IsWarm()
    {
        using var host = App.NewBytes(_directory.Path, _log);
        await host.StartAsync();
        host.Bytes().Set("short", App.Value, new());
        host.Bytes().Set("long", new byte[500_000], new());
        host.Bytes().Set("__MSFT_HCT__tag", App.Value, new());
        await host.StopAsync();

        using var copy = App.CopyOf(_directory.Path, App.BytesName);
        using var again = App.NewBytes(copy.Path);
        Assert.Equal((3, 500_000, 3), (again.Bytes().Get("short")?.Length, again.Bytes().Get("long")?.Length, again.Bytes().Get("__MSFT_HCT__tag")?.Length));
    }

    [Fact]
    public async Task StopAsync_ThenDisposed_IsWarm()
    {
        using (var host = await StartAndFillAsync()) await host.StopAsync();

        AssertWarm(version: 1);
        Assert.Empty(_log.Warnings);
    }

    [Fact]
    public async Task Dispose_WithoutStop_IsWarm()
    {
        (await StartAndFillAsync()).Dispose();

        AssertWarm(version: 1);
    }

    [Fact]
    public async Task StopAsync_NobodyComes_WritesOneCheckpoint()
    {
        using (var host = await StartAndFillAsync()) await host.StopAsync();

        Assert.Single(_log.Entries, e => e.Id.Name == nameof(Log.CheckpointTaken));
    }

    [Fact]
    public async Task Set_AfterStop_MakesTheCheckpointVoid()
    {
        using var host = await StartAndFillAsync();
        await host.StopAsync();
        host.Typed().Set(0, Stamp.Of(0, 2));

        Assert.Equal(0, HitsInCopy(version: 1));
    }

    [Fact]
    public async Task Remove_AfterStop_MakesTheCheckpointVoid()
    {
        using var host = await StartAndFillAsync();
        await host.StopAsync();
        host.Typed().Remove(0);

        Assert.Equal(0, HitsInCopy(version: 1));
    }

    [Fact]
    public async Task Clear_AfterStop_MakesTheCheckpointVoid()
    {
        using var host = await StartAndFillAsync();
        await host.StopAsync();
        host.Typed().Clear();

        Assert.Equal(0, HitsInCopy(version: 1));
    }

    [Fact]
    public async Task Members_AfterStop_Work()
    {
        using var host = await StartAndFillAsync();
        await host.StopAsync();
        var cache = host.Typed();

        Found.All(Entries, cache.CountHits(0, Entries, version: 1));
        cache.Fill(0, Entries, version: 2);
        await cache.FlushAsync();
        Found.All(Entries, cache.CountHits(0, Entries, version: 2));
        Assert.Equal(Stamp.Of(1, 2), await cache.GetAsync(1));
        Assert.True(cache.Remove(1));
    }

    [Fact]
    public async Task Dispose_UsedAfterStop_IsWarmWithTheNewer()
    {
        using (var host = await StartAndFillAsync())
        {
            await host.StopAsync();
            host.Typed().Fill(0, Entries, version: 2);
        }

        AssertWarm(version: 2);
    }

    [Fact]
    public async Task StopAsync_ServiceThatStopsLaterUsesTheCache_ThenKilled_IsWarmWithTheNewer()
    {
        IHost? host = null;
        var probe = new HostedProbe { OnStop = () => host!.Typed().Fill(0, Entries, version: 2) };
        host = await StartAndFillAsync(before: s => s.AddSingleton<IHostedService>(probe));
        using (host)
        {
            await host.StopAsync();

            Assert.True(probe.HasStopped);
            Assert.Equal(Entries, HitsInCopy(version: 2));
        }
    }

    [Fact]
    public async Task StopAsync_ServicesStopConcurrently_ThenKilled_IsWarmWithTheNewer()
    {
        IHost? host = null;
        var probe = new HostedProbe { OnStop = () => host!.Typed().Fill(0, Entries, version: 2) };
        host = await StartAndFillAsync(before: s => s.AddSingleton<IHostedService>(probe).Configure<HostOptions>(o => o.ServicesStopConcurrently = true));
        using (host)
        {
            await host.StopAsync();

            Assert.Equal(Entries, HitsInCopy(version: 2));
        }
    }

    [Fact]
    public async Task StopAsync_Twice_IsTheSameAsOnce()
    {
        using var host = await StartAndFillAsync();
        await host.StopAsync();
        await host.StopAsync();

        Assert.Equal(Entries, HitsInCopy(version: 1));
    }

    [Fact]
    public async Task StopAsync_CacheDisposedBefore_IsNoFault()
    {
        using var host = await StartAndFillAsync();
        host.Typed().Dispose();
        await host.StopAsync();

        Assert.Equal(Entries, HitsInCopy(version: 1));
    }

    [Fact]
    public async Task StopAsync_InMemoryOnly_SaysNothing()
    {
        var builder = App.NewBuilder(log: _log);
        builder.Services.AddFasterDistributedCache(App.Small);
        builder.Services.AddFasterCache<long, Stamp>(App.Small);
        using var host = builder.Build();
        await host.StartAsync();
        await host.StopAsync();

        Assert.Empty(_log.Warnings);
        Assert.DoesNotContain(_log.Entries, e => e.Id.Name is nameof(Log.CheckpointTaken) or nameof(Log.NoCheckpoint));
    }

    [Fact]
    public async Task StopAsync_NeverStarted_IsNoFault()
    {
        using var host = App.NewTyped(_directory.Path, _log);
        await host.StopAsync();

        Assert.Empty(Directory.EnumerateFileSystemEntries(_directory.Path));
    }

    [Fact]
    public async Task StopAsync_TokenCancelled_EndsAndTheCacheWorks()
    {
        using var host = await StartAndFillAsync();
        await Record.ExceptionAsync(() => host.StopAsync(new CancellationToken(canceled: true)).WaitAsync(Until.Deadline));

        Found.All(Entries, host.Typed().CountHits(0, Entries, version: 1));
    }

    [Fact]
    public async Task StopAsync_TokenCancelledThenDisposed_IsWarm()
    {
        using (var host = await StartAndFillAsync()) await Record.ExceptionAsync(() => host.StopAsync(new CancellationToken(canceled: true)));

        AssertWarm(version: 1);
    }

    [Fact]
    public async Task Run_ApplicationStops_IsWarm()
    {
        using var host = App.NewTyped(_directory.Path, _log);
        var running = host.RunAsync();
        var lifetime = host.Services.GetRequiredService<IHostApplicationLifetime>();
        Until.True(() => lifetime.ApplicationStarted.IsCancellationRequested, "the application has started");
        host.Typed().Fill(0, Entries, version: 1);
        lifetime.StopApplication();
        await running.WaitAsync(Until.Deadline);

        AssertWarm(version: 1);
    }

    private async Task<IHost> StartAndFillAsync(Action<IServiceCollection>? before = null)
    {
        var host = App.NewTyped(_directory.Path, _log, before: before);
        await host.StartAsync();
        host.Typed().Fill(0, Entries, version: 1);
        return host;
    }

    private void AssertWarm(long version)
    {
        using var again = App.NewTyped(_directory.Path, _log);
        Found.All(Entries, again.Typed().CountHits(0, Entries, version));
    }

    /// <summary>What another process would find if this one were killed now.</summary>
    private int HitsInCopy(long version)
    {
        using var copy = App.CopyOf(_directory.Path, App.TypedName);
        using var again = App.NewTyped(copy.Path);
        return again.Typed().CountHits(0, Entries, version);
    }
}
