using HybridCaching.Tests.Support;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;

namespace HybridCaching.Tests.Hosting;

/// <summary>The cache of bytes in a container.</summary>
public sealed class DistributedRegistrationTests : IDisposable
{
    private readonly TestDirectory _directory = new();
    private readonly ServiceCollection _services = new();

    /// <summary>Each with an argument that is null.</summary>
    public static TheoryData<string, Action<IServiceCollection>> NullArguments { get; } = new()
    {
        { "services", _ => ((IServiceCollection)null!).AddFasterDistributedCache() },
        { "services", _ => ((IServiceCollection)null!).AddFasterDistributedCache(App.Small) },
        { "services", _ => ((IServiceCollection)null!).AddKeyedFasterDistributedCache("key") },
        { "configure", s => s.AddFasterDistributedCache((Action<FasterDistributedCacheOptions>)null!) },
        { "configuration", s => s.AddFasterDistributedCache((IConfiguration)null!) },
        { "configure", s => s.AddKeyedFasterDistributedCache("key", (Action<FasterDistributedCacheOptions>)null!) },
        { "configuration", s => s.AddKeyedFasterDistributedCache("key", (IConfiguration)null!) },
        { "serviceKey", s => s.AddKeyedFasterDistributedCache(null!) },
        { "serviceKey", s => s.AddKeyedFasterDistributedCache(null!, App.Small) },
        { "serviceKey", s => s.AddKeyedFasterDistributedCache(null!, new ConfigurationBuilder().Build()) },
    };

    public void Dispose() => _directory.Dispose();

    [Fact]
    public void Resolve_ClassAndBothInterfaces_AreOneInstance()
    {
        using var provider = Build(s => s.AddFasterDistributedCache(App.Small));

        var cache = provider.GetRequiredService<FasterDistributedCache>();
        Assert.Same(cache, provider.GetRequiredService<IDistributedCache>());
        Assert.Same(cache, provider.GetRequiredService<IBufferDistributedCache>());
    }

    [Fact]
    public void Resolve_InterfaceFirst_IsTheSameInstance()
    {
        using var provider = Build(s => s.AddFasterDistributedCache(App.Small));

        var face = provider.GetRequiredService<IBufferDistributedCache>();
        Assert.Same(face, provider.GetRequiredService<FasterDistributedCache>());
    }

    [Fact]
    public void Resolve_ManyThreads_IsOneInstance()
    {
        using var provider = Build(s => s.AddFasterDistributedCache(o => App.Small(o, _directory.Path)));
        var found = new object[6];
        Concurrency.Crew.Run(found.Length, me => found[me] = (me % 3) switch
        {
            0 => provider.GetRequiredService<FasterDistributedCache>(),
            1 => provider.GetRequiredService<IDistributedCache>(),
            _ => provider.GetRequiredService<IBufferDistributedCache>(),
        });

        Assert.Single(found.Distinct());
    }

    [Fact]
    public void Resolve_InAScope_IsTheSameInstanceAndOutlivesIt()
    {
        using var provider = Build(s => s.AddFasterDistributedCache(App.Small));
        FasterDistributedCache cache;
        using (var scope = provider.CreateScope()) cache = (FasterDistributedCache)scope.ServiceProvider.GetRequiredService<IDistributedCache>();

        cache.Set("key", App.Value, new());
        Assert.Same(cache, provider.GetRequiredService<FasterDistributedCache>());
    }

    [Fact]
    public void Add_NoOptions_IsInMemoryOnly()
    {
        using var provider = Build(s => s.AddFasterDistributedCache());
        var cache = provider.GetRequiredService<FasterDistributedCache>();

        Assert.Equal((0, null), (cache.GetStatistics().DiskBudget, cache.GetStatistics().DiskUnavailableReason));
        Assert.Equal("distributed", App.NameOf(cache));
    }

    [Fact]
    public void Add_Action_SetsTheOptions()
    {
        using var provider = Build(s => s.AddFasterDistributedCache(o => (o.MemoryBudget, o.Name) = ("40MB", "mine")));
        var cache = provider.GetRequiredService<FasterDistributedCache>();

        Assert.Equal((40 << 20, "mine"), (cache.GetMemoryUsage().Budget, App.NameOf(cache)));
    }

    [Fact]
    public void Add_Configuration_SetsTheOptions()
    {
        var configuration = new ConfigurationBuilder().AddInMemoryCollection([new("Cache:MemoryBudget", "40MB"), new("Cache:Name", "mine"), new("Cache:MaximumValueBytes", "1KB")]).Build();
        using var provider = Build(s => s.AddFasterDistributedCache(configuration.GetSection("Cache")));
        var cache = provider.GetRequiredService<FasterDistributedCache>();
        cache.Set("too long", new byte[1025], new());

        Assert.Equal((40 << 20, "mine", 1), (cache.GetMemoryUsage().Budget, App.NameOf(cache), cache.GetStatistics().DroppedWrites));
    }

    [Fact]
    public void Add_ConfigurationThatIsNotUnderstood_ThrowsWhenResolved()
    {
        var configuration = new ConfigurationBuilder().AddInMemoryCollection([new("Cache:MemoryBudget", "plenty")]).Build();
        using var provider = Build(s => s.AddFasterDistributedCache(configuration.GetSection("Cache")));

        var refusal = Assert.Throws<InvalidOperationException>(() => provider.GetRequiredService<IDistributedCache>());
        Assert.Contains("'Cache:MemoryBudget' is 'plenty'", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Add_AnyOverload_ReturnsTheServices()
    {
        var section = new ConfigurationBuilder().Build();

        Assert.All(
            [
                _services.AddFasterDistributedCache(), _services.AddFasterDistributedCache(App.Small), _services.AddFasterDistributedCache(section),
                _services.AddKeyedFasterDistributedCache("key"), _services.AddKeyedFasterDistributedCache("key", App.Small), _services.AddKeyedFasterDistributedCache("key", section),
            ],
            returned => Assert.Same(_services, returned));
    }

    [Theory]
    [MemberData(nameof(NullArguments))]
    public void Add_NullArgument_IsRefusedByName(string argument, Action<IServiceCollection> add) => Assert.Equal(argument, Assert.Throws<ArgumentNullException>(() => add(_services)).ParamName);

    [Fact]
    public void AddTwice_DifferentOptions_AreComposedInOrder()
    {
        using var provider = Build(s =>
        {
            s.AddFasterDistributedCache(o => (o.MemoryBudget, o.Name) = ("48MB", "first"));
            s.AddFasterDistributedCache(o => o.Name = "second");
        });
        var cache = provider.GetRequiredService<FasterDistributedCache>();

        Assert.Equal((48 << 20, "second"), (cache.GetMemoryUsage().Budget, App.NameOf(cache)));
    }

    [Fact]
    public void AddTwice_ConfigurationThenAction_AreComposedInOrder()
    {
        var configuration = new ConfigurationBuilder().AddInMemoryCollection([new("MemoryBudget", "48MB"), new("Name", "configured")]).Build();
        using var provider = Build(s =>
        {
            s.AddFasterDistributedCache(configuration);
            s.AddFasterDistributedCache(o => o.Name += "-in-code");
        });
        var cache = provider.GetRequiredService<FasterDistributedCache>();

        Assert.Equal((48 << 20, "configured-in-code"), (cache.GetMemoryUsage().Budget, App.NameOf(cache)));
    }

    [Fact]
    public void AddTwice_Registrations_AreAsManyAsAfterOnce()
    {
        _services.AddFasterDistributedCache();
        var once = _services.Select(d => d.ServiceType).Order(Comparer<Type>.Create((a, b) => string.CompareOrdinal(a.FullName, b.FullName))).ToList();
        _services.AddFasterDistributedCache();
        var twice = _services.Select(d => d.ServiceType).Order(Comparer<Type>.Create((a, b) => string.CompareOrdinal(a.FullName, b.FullName))).ToList();

        Assert.Equal(once, twice);
    }

    [Fact]
    public void Add_OptionsConfiguredElsewhere_Count()
    {
        using var provider = Build(s =>
        {
            s.AddFasterDistributedCache();
            s.Configure<FasterDistributedCacheOptions>(o => App.Small(o, name: "elsewhere"));
        });

        Assert.Equal("elsewhere", App.NameOf(provider.GetRequiredService<FasterDistributedCache>()));
    }

    [Fact]
    public void Add_ClockOfTheSystem_IsRegisteredIfThereIsNone()
    {
        var clock = new ManualTimeProvider();
        _services.AddFasterDistributedCache();
        var other = new ServiceCollection { ServiceDescriptor.Singleton<TimeProvider>(clock) };
        other.AddFasterDistributedCache();

        Assert.Same(TimeProvider.System, _services.Single(d => d.ServiceType == typeof(TimeProvider)).ImplementationInstance);
        Assert.Same(clock, other.Single(d => d.ServiceType == typeof(TimeProvider)).ImplementationInstance);
    }

    [Fact]
    public void Build_EverythingValidated_FindsNoFault()
    {
        _services.AddFasterDistributedCache(App.Small);
        _services.AddKeyedFasterDistributedCache("key", App.Small);
        _services.AddHealthChecks().AddFasterCache();
        _services.AddLogging();
        using var provider = _services.BuildServiceProvider(new ServiceProviderOptions { ValidateOnBuild = true, ValidateScopes = true });

        Assert.NotNull(provider.GetRequiredService<IDistributedCache>());
    }

    [Fact]
    public void Build_TwoProvidersOfOneCollection_HaveACacheEach()
    {
        _services.AddFasterDistributedCache(App.Small);
        using var first = _services.BuildServiceProvider();
        using var second = _services.BuildServiceProvider();

        Assert.NotSame(first.GetRequiredService<FasterDistributedCache>(), second.GetRequiredService<FasterDistributedCache>());
    }

    [Fact]
    public void Add_NothingResolved_OpensNothing()
    {
        using (Build(s => s.AddFasterDistributedCache(o => App.Small(o, _directory.Combine("caches"))))) Assert.Empty(Directory.EnumerateFileSystemEntries(_directory.Path));

        Assert.Empty(Directory.EnumerateFileSystemEntries(_directory.Path));
    }

    [Fact]
    public void Add_HostedService_IsOneForAllCaches()
    {
        _services.AddFasterDistributedCache();
        _services.AddKeyedFasterDistributedCache("key");
        _services.AddFasterCache<long, long>();
        _services.AddFasterCache<int, int>();

        Assert.Single(_services, d => d.ServiceType == typeof(IHostedService));
    }

    [Fact]
    public void AddAgain_AllOfItRemovedBetween_IsThere()
    {
        using var provider = Build(s =>
        {
            s.AddFasterDistributedCache(App.Small);
            s.RemoveAll<FasterDistributedCache>();
            s.RemoveAll<IDistributedCache>();
            s.RemoveAll<IBufferDistributedCache>();
            s.AddFasterDistributedCache(App.Small);
        });

        Assert.Same(provider.GetService<FasterDistributedCache>(), provider.GetRequiredService<IDistributedCache>());
        Assert.Same(provider.GetService<FasterDistributedCache>(), provider.GetRequiredService<IBufferDistributedCache>());
    }

    private ServiceProvider Build(Action<IServiceCollection> add)
    {
        add(_services);
        return _services.BuildServiceProvider();
    }
}
