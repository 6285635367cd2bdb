using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using HybridCaching.Diagnostics;
using HybridCaching.Tests.Support;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace HybridCaching.Tests.Hosting;

/// <summary>What a cache takes from its container.</summary>
public sealed class SurroundingsTests : IDisposable
{
    private static readonly TimeSpan Hour = TimeSpan.FromHours(1);

    private readonly TestDirectory _directory = new();
    private readonly CollectingLoggerFactory _log = new();
    private readonly ManualTimeProvider _clock = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public void TimeProvider_RegisteredBefore_DecidesWhenEntriesExpire()
    {
        using var provider = Build(s => s.AddSingleton<TimeProvider>(_clock), AddCaches);

        AssertExpiresWith(_clock, provider);
    }

    [Fact]
    public void TimeProvider_RegisteredAfter_DecidesWhenEntriesExpire()
    {
        using var provider = Build(AddCaches, s => s.AddSingleton<TimeProvider>(_clock));

        AssertExpiresWith(_clock, provider);
    }

    [Fact]
    public void TimeProvider_InTheOptions_ComesFirst()
    {
        var other = new ManualTimeProvider();
        using var provider = Build(
            s => s.AddSingleton<TimeProvider>(other), AddCaches, s => s.AddFasterCache<long, Stamp>(o => o.TimeProvider = _clock), s => s.AddFasterDistributedCache(o => o.TimeProvider = _clock));

        AssertExpiresWith(_clock, provider);
    }

    [Fact]
    public void LoggerFactory_OfTheContainer_GetsTheMessages()
    {
        using var provider = Build(s => s.AddSingleton<ILoggerFactory>(_log), AddCaches);
        Resolve(provider);

        Assert.Equal(2, _log.Entries.Count(e => e.Id.Name == nameof(Log.OpenedInMemory)));
    }

    [Fact]
    public void Logging_Category_IsTheLibrary()
    {
        var categories = new CategoryProvider();
        using var provider = Build(s => s.AddLogging(b => b.AddProvider(categories)), AddCaches);
        Resolve(provider);

        Assert.Equal(["HybridCaching"], categories.Names);
    }

    [Fact]
    public void MeterFactory_OfTheContainer_MakesTheMeter()
    {
        using var provider = Build(s => s.AddMetrics(), AddCaches);
        Resolve(provider);
        var factory = provider.GetRequiredService<IMeterFactory>();

        var seen = new ConcurrentQueue<Meter>(); // other tests' as well
        using var listener = new MeterListener { InstrumentPublished = (instrument, _) => seen.Enqueue(instrument.Meter) };
        listener.Start();
        Assert.Contains(seen, meter => meter.Scope == factory && meter.Name == "HybridCaching");
    }

    [Fact]
    public void NoServices_AtAll_AreNeeded()
    {
        using var provider = Build(AddCaches);
        Resolve(provider);
    }

    [Fact]
    public void ContentRoot_RelativeDirectory_IsBelowIt()
    {
        var builder = App.NewBuilder(contentRoot: _directory.Path);
        builder.Services.AddFasterDistributedCache(o => App.Small(o, Path.Combine("data", "caches")));
        builder.Services.AddFasterCache<long, Stamp>(o => App.Small(o, Path.Combine("data", "caches"), App.TypedName));
        using var host = builder.Build();
        host.Bytes();
        host.Typed();

        Assert.Equal(["distributed", App.TypedName], Directory.EnumerateDirectories(_directory.Combine("data/caches")).Select(Path.GetFileName).Order());
    }

    [Fact]
    public void ContentRoot_FullDirectory_IsThat()
    {
        using var elsewhere = new TestDirectory();
        var builder = App.NewBuilder(contentRoot: elsewhere.Path);
        builder.Services.AddFasterDistributedCache(o => App.Small(o, _directory.Combine("caches")));
        using var host = builder.Build();
        host.Bytes();

        Assert.True(Directory.Exists(_directory.Combine("caches/distributed")));
    }

    [Fact]
    public void ContentRoot_Opened_FullPathIsLogged()
    {
        var builder = App.NewBuilder(contentRoot: _directory.Path, _log);
        builder.Services.AddFasterDistributedCache(o => App.Small(o, "caches"));
        using var host = builder.Build();
        host.Bytes();

        Assert.Contains(_directory.Combine("caches/distributed"), _log.Entries.Single(e => e.Id.Name == nameof(Log.Opened)).Message, StringComparison.Ordinal);
    }

    /// <summary>A cache that the first request opens must not carry that request about for ever: its logging scopes, its trace.</summary>
    [Fact]
    public void Ambience_OfWhoeverOpensTheCache_DoesNotStay()
    {
        var request = new AsyncLocal<string?>();
        var log = new AmbientLoggerFactory(request);
        using var owner = StampCache.Open(_directory.Path);
        request.Value = "the first request";
        var housekeeping = new ManualTimeProvider();
        using var cache = StampCache.Open(_directory.Path, log, housekeeping: housekeeping);
        request.Value = null;
        owner.Dispose();

        housekeeping.TickUntil(() => log.Seen.Any(e => e.Event == nameof(Log.DirectoryTakenOver)), "the folder is taken over");
        Assert.Null(log.Seen.Single(e => e.Event == nameof(Log.DirectoryTakenOver)).Ambience);
    }

    [Fact]
    public void HostEnvironment_WithoutAHost_CountsAllTheSame()
    {
        using var provider = Build(s => s.AddSingleton<IHostEnvironment>(new HostingEnvironment { ContentRootPath = _directory.Path }), s => s.AddFasterDistributedCache(o => App.Small(o, "caches")));
        provider.GetRequiredService<FasterDistributedCache>();

        Assert.True(Directory.Exists(_directory.Combine("caches/distributed")));
    }

    private static void AddCaches(IServiceCollection services)
    {
        services.AddFasterCache<long, Stamp>(App.Small);
        services.AddFasterDistributedCache(App.Small);
    }

    private static void Resolve(IServiceProvider provider)
    {
        provider.GetRequiredService<FasterCache<long, Stamp>>();
        provider.GetRequiredService<FasterDistributedCache>();
    }

    private static void AssertExpiresWith(ManualTimeProvider clock, IServiceProvider provider)
    {
        var typed = provider.GetRequiredService<FasterCache<long, Stamp>>();
        var bytes = provider.GetRequiredService<FasterDistributedCache>();
        typed.Set(1, Stamp.Of(1, 1), Hour);
        bytes.Set("key", App.Value, new() { AbsoluteExpirationRelativeToNow = Hour });
        clock.Advance(Hour - TimeSpan.FromSeconds(1));
        Assert.True(typed.TryGet(1, out _));
        Assert.NotNull(bytes.Get("key"));

        clock.Advance(TimeSpan.FromSeconds(1));
        Assert.False(typed.TryGet(1, out _));
        Assert.Null(bytes.Get("key"));
    }

    private static ServiceProvider Build(params Action<IServiceCollection>[] steps)
    {
        var services = new ServiceCollection();
        foreach (var step in steps) step(services);
        return services.BuildServiceProvider();
    }

    private sealed class CategoryProvider : ILoggerProvider
    {
        public List<string> Names { get; } = [];

        public ILogger CreateLogger(string categoryName)
        {
            if (!Names.Contains(categoryName)) Names.Add(categoryName);
            return new CollectingLoggerFactory();
        }

        public void Dispose()
        {
        }
    }

    private sealed class HostingEnvironment : IHostEnvironment
    {
        public string ApplicationName { get; set; } = "test";

        public string EnvironmentName { get; set; } = "test";

        public required string ContentRootPath { get; set; }

        public Microsoft.Extensions.FileProviders.IFileProvider ContentRootFileProvider { get; set; } = new Microsoft.Extensions.FileProviders.NullFileProvider();
    }
}
