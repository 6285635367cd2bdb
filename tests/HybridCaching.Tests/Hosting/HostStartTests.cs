using HybridCaching.Diagnostics;
using HybridCaching.Tests.Support;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace HybridCaching.Tests.Hosting;

/// <summary>A host opens its caches before anything else of it runs.</summary>
public sealed class HostStartTests : IDisposable
{
    private readonly TestDirectory _directory = new();
    private readonly CollectingLoggerFactory _log = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public async Task StartAsync_NothingResolved_OpensTheCache()
    {
        using var host = App.NewTyped(_directory.Path, _log);
        await host.StartAsync();

        Assert.Single(_log.Entries, e => e.Id.Name == nameof(Log.Opened));
    }

    [Fact]
    public async Task StartAsync_ServiceRegisteredEarlier_FindsTheCacheOpen()
    {
        var probe = new HostedProbe { OnStart = () => Assert.Contains(_log.Entries, e => e.Id.Name == nameof(Log.Opened)) };
        using var host = App.NewTyped(_directory.Path, _log, before: s => s.AddSingleton<IHostedService>(probe));
        await host.StartAsync();

        Assert.True(probe.HasStarted);
    }

    [Fact]
    public async Task StartAsync_CheckpointThere_IsRecoveredBeforeOtherServicesStart()
    {
        using (var cache = StampCache.Open(_directory.Path, change: o => App.Small(o, _directory.Path, App.TypedName))) cache.Fill(0, 1000, version: 1);
        var probe = new HostedProbe { OnStart = () => Assert.Contains(_log.Entries, e => e.Id.Name == nameof(Log.Recovered)) };
        using var host = App.NewTyped(_directory.Path, _log, before: s => s.AddSingleton<IHostedService>(probe));
        await host.StartAsync();

        Assert.True(probe.HasStarted);
        Found.All(1000, host.Typed().CountHits(0, 1000, version: 1));
    }

    [Fact]
    public async Task StartAsync_CacheResolvedBefore_IsThatOne()
    {
        using var host = App.NewTyped(_directory.Path, _log);
        var cache = host.Typed();
        await host.StartAsync();

        Assert.Same(cache, host.Typed());
        Assert.Single(_log.Entries, e => e.Id.Name == nameof(Log.Opened));
    }

    [Fact]
    public async Task StartAsync_ConfigurationNotUnderstood_FailsWithPathValueAndForms()
    {
        var builder = App.NewBuilder();
        builder.Configuration.AddInMemoryCollection([new("Cache:DiskBudget", "two gigabytes")]);
        builder.Services.AddFasterDistributedCache(builder.Configuration.GetSection("Cache"));
        using var host = builder.Build();

        var refusal = await Assert.ThrowsAsync<InvalidOperationException>(() => host.StartAsync());
        Assert.All(["'Cache:DiskBudget'", "'two gigabytes'", "1.5GB"], part => Assert.Contains(part, refusal.Message, StringComparison.Ordinal));
    }

    [Fact]
    public async Task StartAsync_OptionThatCannotWork_FailsWithItsName()
    {
        using var host = App.NewTyped(_directory.Path, change: o => o.CheckpointInterval = TimeSpan.Zero);

        Assert.Equal(nameof(FasterCacheOptions.CheckpointInterval), (await Assert.ThrowsAsync<ArgumentException>(() => host.StartAsync())).ParamName);
    }

    [Fact]
    public async Task StartAsync_DirectoryInUseAndThrowWanted_Fails()
    {
        using var owner = StampCache.Open(_directory.Path, change: o => o.Name = App.TypedName);
        using var host = App.NewTyped(_directory.Path, change: o => o.WhenDirectoryUnavailable = DirectoryUnavailable.Throw);

        Assert.Contains(_directory.Path, (await Assert.ThrowsAsync<IOException>(() => host.StartAsync())).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task StartAsync_OneOfTwoCannotOpen_LeavesTheOtherToTheDisposal()
    {
        var builder = App.NewBuilder();
        builder.Services.AddFasterCache<long, Stamp>(o => App.Small(o, _directory.Path, App.TypedName));
        builder.Services.AddFasterCache<long, long>(o => o.MemoryBudget = 1);
        using (var host = builder.Build()) await Assert.ThrowsAsync<ArgumentException>(() => host.StartAsync());

        using var again = StampCache.Open(_directory.Path, change: o => (o.Name, o.WhenDirectoryUnavailable) = (App.TypedName, DirectoryUnavailable.Throw));
    }

    [Fact]
    public async Task StartAsync_TokenCancelled_Ends()
    {
        using var host = App.NewTyped(_directory.Path);

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => host.StartAsync(new CancellationToken(canceled: true)));
    }

    /// <summary>Whoever waits for the start may leave while a cache is opened; it is the container's all the same.</summary>
    [Fact]
    public async Task StartAsync_CancelledWhileOpening_LeavesNothingOpen()
    {
        using var opening = new SemaphoreSlim(0);
        using var release = new ManualResetEventSlim();
        var log = new CollectingLoggerFactory
        {
            Said = entry =>
            {
                if (entry.Id.Name != nameof(Log.Opened)) return;
                opening.Release();
                release.Wait(Until.Deadline);
            },
        };
        using var cancel = new CancellationTokenSource();
        using (var host = App.NewTyped(_directory.Path, log))
        {
            var start = host.StartAsync(cancel.Token);
            await opening.WaitAsync(TestContext.Current.CancellationToken);
            await cancel.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => start);
        }

        release.Set();
        App.AwaitFree(_directory.Path, App.TypedName);
    }

    [Fact]
    public async Task StartAsync_ManyCaches_OpensAllOfThem()
    {
        var builder = App.NewBuilder(log: _log);
        for (int i = 0; i < 5; i++) builder.Services.AddKeyedFasterCache<long, Stamp>(i, o => App.Small(o, _directory.Path));
        using var host = builder.Build();
        await host.StartAsync();

        Assert.Equal(5, _log.Entries.Count(e => e.Id.Name == nameof(Log.Opened)));
    }

    [Fact]
    public async Task StartAsync_ScopesAndBuildValidated_Works()
    {
        var builder = App.NewBuilder();
        builder.Environment.EnvironmentName = Environments.Development;
        builder.ConfigureContainer(new DefaultServiceProviderFactory(new ServiceProviderOptions { ValidateOnBuild = true, ValidateScopes = true }));
        builder.Services.AddFasterDistributedCache(App.Small);
        builder.Services.AddFasterCache<long, Stamp>(App.Small);
        using var host = builder.Build();
        await host.StartAsync();
        await host.StopAsync();
    }
}
