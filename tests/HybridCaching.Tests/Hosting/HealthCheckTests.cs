using HybridCaching.Devices;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Options;

namespace HybridCaching.Tests.Hosting;

/// <summary>What a health check says of caches in every state.</summary>
public sealed class HealthCheckTests : IDisposable
{
    private readonly TestDirectory _directory = new();
    private readonly ManualTimeProvider _housekeeping = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public async Task Check_AllWell_IsHealthy()
    {
        await using var provider = Build(o => App.Small(o, _directory.Path));
        provider.GetRequiredService<FasterCache<long, Stamp>>();
        var entry = await CheckAsync(provider);

        Assert.Equal((HealthStatus.Healthy, null), (entry.Status, entry.Description));
    }

    [Fact]
    public async Task Check_InMemoryByChoice_IsHealthy()
    {
        await using var provider = Build(App.Small);
        provider.GetRequiredService<FasterCache<long, Stamp>>();

        Assert.Equal(HealthStatus.Healthy, (await CheckAsync(provider)).Status);
    }

    [Fact]
    public async Task Check_NotOpenYet_IsDegradedAndOpensNothing()
    {
        await using var provider = Build(o => App.Small(o, _directory.Path));
        var entry = await CheckAsync(provider);

        Assert.Equal(HealthStatus.Degraded, entry.Status);
        Assert.Contains("is not open yet", entry.Description, StringComparison.Ordinal);
        Assert.Empty(Directory.EnumerateFileSystemEntries(_directory.Path));
    }

    [Fact]
    public async Task Check_FolderInUse_IsDegradedWithTheReason()
    {
        using var owner = StampCache.Open(_directory.Path);
        await using var provider = Build(o => App.Small(o, _directory.Path, StampCache.Name));
        provider.GetRequiredService<FasterCache<long, Stamp>>();
        var entry = await CheckAsync(provider);

        Assert.Equal(HealthStatus.Degraded, entry.Status);
        Assert.All([StampCache.Name, "serves from memory only", _directory.Path], part => Assert.Contains(part, entry.Description, StringComparison.Ordinal));
    }

    [Fact]
    public async Task Check_Closed_IsDegraded()
    {
        await using var provider = Build(App.Small);
        provider.GetRequiredService<FasterCache<long, Stamp>>().Dispose();
        var entry = await CheckAsync(provider);

        Assert.Equal(HealthStatus.Degraded, entry.Status);
        Assert.Contains("is closed", entry.Description, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Check_DiskFails_IsDegradedUntilItWorks()
    {
        using var cache = OpenCold();
        cache.Tiers.Device!.Fault = static _ => true;
        _housekeeping.TickUntil(() => !cache.TryGet(1, out _) && cache.GetStatistics().DiskTroubleReason is not null, "trouble is seen");
        var result = await CheckAsync(cache);
        Assert.Equal(HealthStatus.Degraded, result.Status);
        Assert.Contains("injected fault", result.Description, StringComparison.Ordinal);

        cache.Tiers.Device!.Fault = static _ => false;
        _housekeeping.TickUntil(() => cache.TryGet(1, out _) && cache.GetStatistics().DiskTroubleReason is null, "it works again");
        Assert.Equal(HealthStatus.Healthy, (await CheckAsync(cache)).Status);
    }

    [Fact]
    public async Task Check_DiskHangs_IsDegradedAndEnds()
    {
        using var cache = OpenCold();
        using var gate = new DiskGate(cache.Tiers.Device!, IoKind.Read);
        gate.Close();
        Assert.False(cache.TryGet(1, out _));
        _housekeeping.TickUntil(() => cache.GetStatistics().DiskTroubleReason is not null, "trouble is seen");
        var result = await CheckAsync(cache).WaitAsync(Until.Deadline);

        Assert.Equal(HealthStatus.Degraded, result.Status);
        Assert.Contains("has not answered", result.Description, StringComparison.Ordinal);
        Assert.True(gate.IsClosed);
        gate.Open();
    }

    [Fact]
    public async Task Check_OneOfSeveralIsIll_NamesIt()
    {
        using var owner = StampCache.Open(_directory.Path);
        await using var provider = Build(
            o => App.Small(o, _directory.Path, StampCache.Name),
            s => s.AddFasterDistributedCache(App.Small));
        provider.GetRequiredService<FasterCache<long, Stamp>>();
        provider.GetRequiredService<FasterDistributedCache>();
        var entry = await CheckAsync(provider);

        Assert.Contains($"Cache {StampCache.Name} ", entry.Description, StringComparison.Ordinal);
        Assert.DoesNotContain("Cache distributed ", entry.Description, StringComparison.Ordinal);
        Assert.Equal(12, entry.Data.Count);
    }

    [Fact]
    public async Task Check_NameGiven_LooksAtThatOneOnly()
    {
        using var owner = StampCache.Open(_directory.Path);
        await using var provider = Build(
            o => App.Small(o, _directory.Path, StampCache.Name),
            s => s.AddFasterDistributedCache(App.Small),
            b => b.AddFasterCache(cacheName: "distributed"));
        provider.GetRequiredService<FasterCache<long, Stamp>>();
        provider.GetRequiredService<FasterDistributedCache>();
        var entry = await CheckAsync(provider);

        Assert.Equal(HealthStatus.Healthy, entry.Status);
        Assert.All(entry.Data.Keys, key => Assert.StartsWith("distributed.", key, StringComparison.Ordinal));
    }

    [Fact]
    public async Task Check_SeveralOfOneName_AreToldApart()
    {
        await using var provider = Build(
            o => App.Small(o, name: "orders"),
            s => s.AddFasterDistributedCache(o => App.Small(o, name: "orders")).AddKeyedFasterDistributedCache("k", o => App.Small(o, name: "orders")),
            b => b.AddFasterCache(cacheName: "orders"));
        provider.GetRequiredService<FasterCache<long, Stamp>>();
        provider.GetRequiredService<FasterDistributedCache>();
        provider.GetRequiredKeyedService<FasterDistributedCache>("k");

        Assert.Equal(["orders", "orders#2", "orders#3"], (await CheckAsync(provider)).Data.Keys.Select(k => k.Split('.')[0]).Distinct().Order());
    }

    [Fact]
    public async Task Check_NameOfNone_IsDegradedAndListsThem()
    {
        await using var provider = Build(o => App.Small(o, name: "stamps"), check: b => b.AddFasterCache(cacheName: "stmaps"));
        provider.GetRequiredService<FasterCache<long, Stamp>>();
        var entry = await CheckAsync(provider);

        Assert.Equal(HealthStatus.Degraded, entry.Status);
        Assert.All(["no cache named stmaps", "stamps"], part => Assert.Contains(part, entry.Description, StringComparison.Ordinal));
    }

    [Fact]
    public async Task Check_NoCaches_IsHealthy()
    {
        await using var provider = new ServiceCollection().AddLogging().AddHealthChecks().AddFasterCache().Services.BuildServiceProvider();

        Assert.Equal(HealthStatus.Healthy, (await CheckAsync(provider)).Status);
    }

    [Fact]
    public async Task Check_BothKindsAndKeyed_AreAllSeen()
    {
        await using var provider = Build(
            o => App.Small(o, name: "typed"),
            s => s.AddFasterDistributedCache(App.Small).AddKeyedFasterDistributedCache("k", App.Small));
        provider.GetRequiredService<FasterCache<long, Stamp>>();
        provider.GetRequiredService<FasterDistributedCache>();
        provider.GetRequiredKeyedService<FasterDistributedCache>("k");

        Assert.Equal(["distributed", "distributed-k", "typed"], (await CheckAsync(provider)).Data.Keys.Select(k => k.Split('.')[0]).Distinct().Order());
    }

    [Fact]
    public async Task Check_FailureStatusGiven_IsThat()
    {
        await using var provider = Build(App.Small, check: b => b.AddFasterCache(failureStatus: HealthStatus.Unhealthy));

        Assert.Equal(HealthStatus.Unhealthy, (await CheckAsync(provider)).Status);
    }

    [Fact]
    public async Task Check_Data_AreTheFiguresOfTheCache()
    {
        await using var provider = Build(o => App.Small(o, _directory.Path, "stamps"));
        var cache = provider.GetRequiredService<FasterCache<long, Stamp>>();
        cache.Fill(0, 100, version: 1);
        cache.CountHits(0, 150, version: 1);
        var data = (await CheckAsync(provider)).Data;

        Assert.Equal(["stamps.disk.limit", "stamps.disk.usage", "stamps.entries", "stamps.hit_ratio", "stamps.memory.limit", "stamps.memory.usage"], data.Keys.Order(StringComparer.Ordinal));
        Assert.Equal((100L, 100.0 / 150, (long)(12 << 20), (long)(128 << 20)), (data["stamps.entries"], data["stamps.hit_ratio"], data["stamps.memory.limit"], data["stamps.disk.limit"]));
        Until.True(
            () =>
            {
                var now = CheckAsync(provider).Result().Data;
                return cache.GetMemoryUsage().Total.Equals(now["stamps.memory.usage"]) && cache.GetStatistics().DiskUsage.Equals(now["stamps.disk.usage"]);
            },
            "housekeeping moves no memory between the one look and the other");
    }

    [Fact]
    public void Add_Defaults_AreNameAndStatus()
    {
        var registration = RegistrationOf(b => b.AddFasterCache());

        Assert.Equal(("hybridcaching", HealthStatus.Degraded), (registration.Name, registration.FailureStatus));
        Assert.Equal((0, Timeout.InfiniteTimeSpan), (registration.Tags.Count, registration.Timeout));
    }

    [Fact]
    public void Add_CacheName_IsPartOfTheName() => Assert.Equal("hybridcaching-orders", RegistrationOf(b => b.AddFasterCache(cacheName: "orders")).Name);

    [Fact]
    public void Add_AllArguments_AreTaken()
    {
        var registration = RegistrationOf(b => b.AddFasterCache("mine", HealthStatus.Unhealthy, ["ready", "cache"], TimeSpan.FromSeconds(3), "orders"));

        Assert.Equal(("mine", HealthStatus.Unhealthy, TimeSpan.FromSeconds(3)), (registration.Name, registration.FailureStatus, registration.Timeout));
        Assert.Equal(["cache", "ready"], registration.Tags.Order());
    }

    [Fact]
    public void Add_NoBuilder_IsRefused() => Assert.Equal("builder", Assert.Throws<ArgumentNullException>(() => ((IHealthChecksBuilder)null!).AddFasterCache()).ParamName);

    [Fact]
    public void Add_Builder_IsReturned()
    {
        var builder = new ServiceCollection().AddHealthChecks();

        Assert.Same(builder, builder.AddFasterCache());
    }

    private static HealthCheckRegistration RegistrationOf(Action<IHealthChecksBuilder> add)
    {
        var services = new ServiceCollection();
        add(services.AddHealthChecks());
        using var provider = services.BuildServiceProvider();
        return provider.GetRequiredService<IOptions<HealthCheckServiceOptions>>().Value.Registrations.Single();
    }

    private static async Task<HealthReportEntry> CheckAsync(IServiceProvider provider) => (await provider.GetRequiredService<HealthCheckService>().CheckHealthAsync()).Entries.Single().Value;

    private static async Task<HealthReportEntry> CheckAsync(FasterCache<long, Stamp> cache)
    {
        using var health = new CacheHealth(cache);
        return await health.CheckAsync();
    }

    private static ServiceProvider Build(Action<FasterCacheOptions> configure, Action<IServiceCollection>? more = null, Action<IHealthChecksBuilder>? check = null)
    {
        var services = new ServiceCollection().AddLogging().AddFasterCache<long, Stamp>(configure);
        more?.Invoke(services);
        (check ?? (b => b.AddFasterCache()))(services.AddHealthChecks());
        return services.BuildServiceProvider();
    }

    private FasterCache<long, Stamp> OpenCold()
    {
        using (ColdCache.Open(_directory.Path))
        {
            // Left behind on the disk.
        }

        return StampCache.Open(_directory.Path, change: o => (o.DiskBudget, o.HotTierShare, o.DiskTimeout) = ("64MB", 0, TimeSpan.FromMilliseconds(50)), housekeeping: _housekeeping);
    }
}
