using HybridCaching.Tests.Support;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace HybridCaching.Tests.Hosting;

/// <summary>Caches under keys.</summary>
public sealed class KeyedRegistrationTests : IDisposable
{
    private readonly TestDirectory _directory = new();
    private readonly CollectingLoggerFactory _log = new();
    private readonly ServiceCollection _services = new();

    public enum Tenant
    {
        Blue,
        Green,
    }

    public void Dispose() => _directory.Dispose();

    [Fact]
    public void Resolve_ClassAndBothInterfaces_AreOneInstance()
    {
        using var provider = Build(s => s.AddKeyedFasterDistributedCache("sessions", App.Small));

        var cache = provider.GetRequiredKeyedService<FasterDistributedCache>("sessions");
        Assert.Same(cache, provider.GetRequiredKeyedService<IDistributedCache>("sessions"));
        Assert.Same(cache, provider.GetRequiredKeyedService<IBufferDistributedCache>("sessions"));
    }

    [Fact]
    public void Resolve_WithoutTheKey_FindsNothing()
    {
        using var provider = Build(s => s.AddKeyedFasterDistributedCache("sessions", App.Small), s => s.AddKeyedFasterCache<long, long>("sessions", App.Small));

        Assert.Null(provider.GetService<IDistributedCache>());
        Assert.Null(provider.GetService<FasterDistributedCache>());
        Assert.Null(provider.GetService<FasterCache<long, long>>());
        Assert.Null(provider.GetKeyedService<IDistributedCache>("others"));
    }

    [Fact]
    public void Resolve_Injected_IsTheCacheOfTheKey()
    {
        using var provider = Build(s => s.AddKeyedFasterDistributedCache("sessions", App.Small), s => s.AddKeyedFasterCache<long, Stamp>("sessions", App.Small), s => s.AddSingleton<Consumer>());
        var consumer = provider.GetRequiredService<Consumer>();

        Assert.Same(provider.GetRequiredKeyedService<FasterDistributedCache>("sessions"), consumer.Cache);
        Assert.Same(provider.GetRequiredKeyedService<FasterCache<long, Stamp>>("sessions"), consumer.Stamps);
    }

    [Fact]
    public void Resolve_KeyedAndNot_AreTwoCachesWithTwoNames()
    {
        using var provider = Build(s => s.AddFasterDistributedCache(App.Small), s => s.AddKeyedFasterDistributedCache("sessions", App.Small));
        var plain = provider.GetRequiredService<FasterDistributedCache>();
        var keyed = provider.GetRequiredKeyedService<FasterDistributedCache>("sessions");
        keyed.Set("key", App.Value, new());

        Assert.Null(plain.Get("key"));
        Assert.Equal(("distributed", "distributed-sessions"), (App.NameOf(plain), App.NameOf(keyed)));
    }

    [Fact]
    public void Resolve_TypedKeyedAndNot_AreTwoCachesWithTwoNames()
    {
        using var provider = Build(s => s.AddFasterCache<long, long>(App.Small), s => s.AddKeyedFasterCache<long, long>("sessions", App.Small));

        Assert.Equal("Int64-Int64-b1287d0d", App.NameOf(provider.GetRequiredService<FasterCache<long, long>>()));
        Assert.Equal("Int64-Int64-b1287d0d-sessions", App.NameOf(provider.GetRequiredKeyedService<FasterCache<long, long>>("sessions")));
    }

    /// <summary>The name is a folder on users' disks.</summary>
    [Theory]
    [InlineData("sessions", "distributed-sessions")]
    [InlineData("", "distributed-")]
    [InlineData("a/b", "distributed-ab-")]
    [InlineData("../up", "distributed-..up-")]
    [InlineData(1, "distributed-1-")]
    [InlineData(Tenant.Green, "distributed-Green-")]
    public void Name_OfAKey_IsReadableAndAFolder(object key, string start)
    {
        using var provider = Build(s => s.AddKeyedFasterDistributedCache(key, o => App.Small(o, _directory.Path)));
        string name = App.NameOf(provider.GetRequiredKeyedService<FasterDistributedCache>(key));

        Assert.StartsWith(start, name, StringComparison.Ordinal);
        Assert.True(HybridCaching.Configuration.CacheName.IsValid(name), name);
        Assert.Equal([name], Directory.EnumerateDirectories(_directory.Path).Select(Path.GetFileName));
    }

    [Fact]
    public void Name_SetInTheOptions_IsThat()
    {
        using var provider = Build(s => s.AddKeyedFasterDistributedCache("sessions", o => App.Small(o, name: "mine")));

        Assert.Equal("mine", App.NameOf(provider.GetRequiredKeyedService<FasterDistributedCache>("sessions")));
    }

    [Fact]
    public void Resolve_KeysThatReadAlike_AreCachesOfTheirOwn()
    {
        object[] keys = ["1", 1, 1L, 1u, '1'];
        using var provider = Build([.. keys.Select((key, i) => (Action<IServiceCollection>)(s => s.AddKeyedFasterDistributedCache(key, o => App.Small(o, _directory.Path)).AddKeyedFasterDistributedCache(key, o => o.MemoryBudget = $"{32 + i}MB")))]);
        var caches = keys.Select(provider.GetRequiredKeyedService<FasterDistributedCache>).ToList();

        Assert.Equal(keys.Length, caches.Select(App.NameOf).Distinct().Count());
        Assert.Equal(keys.Select((_, i) => (32L + i) << 20), caches.Select(c => c.GetMemoryUsage().Budget));
        Assert.All(caches, c => Assert.Null(c.GetStatistics().DiskUnavailableReason));
    }

    [Fact]
    public void Resolve_KeysWithoutATextOfTheirOwn_HaveTheirOwnOptions()
    {
        var (first, second) = (new object(), new object());
        using var provider = Build(s => s.AddKeyedFasterCache<long, long>(first, o => App.Small(o, name: "first")), s => s.AddKeyedFasterCache<long, long>(second, o => App.Small(o, name: "second")));

        Assert.Equal("first", App.NameOf(provider.GetRequiredKeyedService<FasterCache<long, long>>(first)));
        Assert.Equal("second", App.NameOf(provider.GetRequiredKeyedService<FasterCache<long, long>>(second)));
    }

    [Fact]
    public void Resolve_KeysWithoutATextOfTheirOwnInOneDirectory_SaysThatTheyNeedNames()
    {
        var (first, second) = (new object(), new object());
        using var provider = Build(s => s.AddKeyedFasterCache<long, long>(first, o => App.Small(o, _directory.Path)), s => s.AddKeyedFasterCache<long, long>(second, o => App.Small(o, _directory.Path)));
        provider.GetRequiredKeyedService<FasterCache<long, long>>(first);
        provider.GetRequiredKeyedService<FasterCache<long, long>>(second);

        Assert.Contains("two caches in one directory need two names", Assert.Single(_log.Warnings), StringComparison.Ordinal);
    }

    [Fact]
    public void Resolve_OneKeyForCachesOfAllTypes_AreCachesOfTheirOwn()
    {
        using var provider = Build(
            s => s.AddKeyedFasterDistributedCache("key", App.Small), s => s.AddKeyedFasterCache<long, long>("key", o => App.Small(o, name: "a")), s => s.AddKeyedFasterCache<long, int>("key", o => App.Small(o, name: "b")));

        Assert.Equal("distributed-key", App.NameOf(provider.GetRequiredKeyedService<FasterDistributedCache>("key")));
        Assert.Equal("a", App.NameOf(provider.GetRequiredKeyedService<FasterCache<long, long>>("key")));
        Assert.Equal("b", App.NameOf(provider.GetRequiredKeyedService<FasterCache<long, int>>("key")));
    }

    [Fact]
    public void AddTwice_SameKey_ComposesOptionsAndAddsNothingElse()
    {
        _services.AddKeyedFasterDistributedCache("key", o => App.Small(o, name: "first"));
        int once = _services.Count(d => d.ServiceType.Assembly == typeof(FasterDistributedCache).Assembly || d.ServiceType == typeof(IDistributedCache));
        using var provider = Build(s => s.AddKeyedFasterDistributedCache("key", o => o.Name += "-second"));

        Assert.Equal("first-second", App.NameOf(provider.GetRequiredKeyedService<FasterDistributedCache>("key")));
        Assert.Equal(once, _services.Count(d => d.ServiceType.Assembly == typeof(FasterDistributedCache).Assembly || d.ServiceType == typeof(IDistributedCache)));
    }

    [Fact]
    public void AddTwice_EqualKeysThatAreNotTheSame_AreOneCache()
    {
        string key = new(['k', 'e', 'y']);
        using var provider = Build(s => s.AddKeyedFasterDistributedCache("key", App.Small), s => s.AddKeyedFasterDistributedCache(key, o => o.Name = "both"));

        Assert.Equal("both", App.NameOf(provider.GetRequiredKeyedService<FasterDistributedCache>("key")));
    }

    [Fact]
    public void Add_AnyKey_IsRefused()
    {
        Assert.Equal("serviceKey", Assert.Throws<ArgumentException>(() => _services.AddKeyedFasterDistributedCache(KeyedService.AnyKey)).ParamName);
        Assert.Equal("serviceKey", Assert.Throws<ArgumentException>(() => _services.AddKeyedFasterCache<long, long>(KeyedService.AnyKey)).ParamName);
        Assert.Empty(_services);
    }

    [Fact]
    public void ResolveAll_AnyKey_FindsTheCachesOfAllKeys()
    {
        using var provider = Build(s => s.AddKeyedFasterDistributedCache("a", App.Small), s => s.AddKeyedFasterDistributedCache("b", App.Small));

        Assert.Equal(2, provider.GetKeyedServices<FasterDistributedCache>(KeyedService.AnyKey).Distinct().Count());
    }

    private ServiceProvider Build(params Action<IServiceCollection>[] steps)
    {
        _services.AddSingleton<ILoggerFactory>(_log);
        foreach (var step in steps) step(_services);
        return _services.BuildServiceProvider();
    }

    private sealed class Consumer([FromKeyedServices("sessions")] IDistributedCache cache, [FromKeyedServices("sessions")] FasterCache<long, Stamp> stamps)
    {
        public IDistributedCache Cache => cache;

        public FasterCache<long, Stamp> Stamps => stamps;
    }
}
