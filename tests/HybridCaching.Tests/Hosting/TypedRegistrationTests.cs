using HybridCaching.Tests.Support;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace HybridCaching.Tests.Hosting;

/// <summary>Typed caches in a container.</summary>
public sealed class TypedRegistrationTests
{
    private readonly ServiceCollection _services = new();

    /// <summary>Each with an argument that is null.</summary>
    public static TheoryData<string, Action<IServiceCollection>> NullArguments { get; } = new()
    {
        { "services", _ => ((IServiceCollection)null!).AddFasterCache<long, long>() },
        { "services", _ => ((IServiceCollection)null!).AddFasterCache<long, long>(App.Small) },
        { "services", _ => ((IServiceCollection)null!).AddKeyedFasterCache<long, long>("key") },
        { "configure", s => s.AddFasterCache<long, long>((Action<FasterCacheOptions>)null!) },
        { "configuration", s => s.AddFasterCache<long, long>((IConfiguration)null!) },
        { "configure", s => s.AddKeyedFasterCache<long, long>("key", (Action<FasterCacheOptions>)null!) },
        { "configuration", s => s.AddKeyedFasterCache<long, long>("key", (IConfiguration)null!) },
        { "serviceKey", s => s.AddKeyedFasterCache<long, long>(null!) },
        { "serviceKey", s => s.AddKeyedFasterCache<long, long>(null!, App.Small) },
        { "serviceKey", s => s.AddKeyedFasterCache<long, long>(null!, new ConfigurationBuilder().Build()) },
    };

    [Fact]
    public void Resolve_Twice_IsOneInstance()
    {
        using var provider = Build(s => s.AddFasterCache<long, Stamp>(App.Small));

        Assert.Same(provider.GetRequiredService<FasterCache<long, Stamp>>(), provider.GetRequiredService<FasterCache<long, Stamp>>());
    }

    [Fact]
    public void Add_NoOptions_IsInMemoryOnly()
    {
        using var provider = Build(s => s.AddFasterCache<long, Stamp>());

        Assert.Equal(0, provider.GetRequiredService<FasterCache<long, Stamp>>().GetStatistics().DiskBudget);
    }

    [Fact]
    public void Add_Action_SetsTheOptions()
    {
        using var provider = Build(s => s.AddFasterCache<long, Stamp>(o => (o.MemoryBudget, o.Name) = ("20MB", "mine")));
        var cache = provider.GetRequiredService<FasterCache<long, Stamp>>();

        Assert.Equal((20 << 20, "mine"), (cache.GetMemoryUsage().Budget, App.NameOf(cache)));
    }

    [Fact]
    public void Add_Configuration_SetsTheOptions()
    {
        var configuration = new ConfigurationBuilder().AddInMemoryCollection([new("Quotes:MemoryBudget", "20MB"), new("Quotes:Name", "mine")]).Build();
        using var provider = Build(s => s.AddFasterCache<long, Stamp>(configuration.GetSection("Quotes")));
        var cache = provider.GetRequiredService<FasterCache<long, Stamp>>();

        Assert.Equal((20 << 20, "mine"), (cache.GetMemoryUsage().Budget, App.NameOf(cache)));
    }

    /// <summary>An option of the cache of bytes only.</summary>
    [Fact]
    public void Add_ConfigurationOfTheOtherCache_IsRefused()
    {
        var configuration = new ConfigurationBuilder().AddInMemoryCollection([new("Quotes:MaximumValueBytes", "20MB")]).Build();
        using var provider = Build(s => s.AddFasterCache<long, Stamp>(configuration.GetSection("Quotes")));

        Assert.Contains("Quotes:MaximumValueBytes", Assert.Throws<InvalidOperationException>(() => provider.GetRequiredService<FasterCache<long, Stamp>>()).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Add_KeyedConfiguration_SetsTheOptions()
    {
        var configuration = new ConfigurationBuilder().AddInMemoryCollection([new("MemoryBudget", "20MB")]).Build();
        using var provider = Build(s => s.AddKeyedFasterCache<long, Stamp>("key", configuration));

        Assert.Equal(20 << 20, provider.GetRequiredKeyedService<FasterCache<long, Stamp>>("key").GetMemoryUsage().Budget);
    }

    [Fact]
    public void Add_SeveralTypes_HaveOptionsOfTheirOwn()
    {
        using var provider = Build(
            s => s.AddFasterCache<long, Stamp>(o => App.Small(o, name: "stamps")), s => s.AddFasterCache<long, long>(o => App.Small(o, name: "longs")), s => s.AddFasterCache<int, long>(App.Small));

        Assert.Equal("stamps", App.NameOf(provider.GetRequiredService<FasterCache<long, Stamp>>()));
        Assert.Equal("longs", App.NameOf(provider.GetRequiredService<FasterCache<long, long>>()));
        Assert.StartsWith("Int32-Int64-", App.NameOf(provider.GetRequiredService<FasterCache<int, long>>()), StringComparison.Ordinal);
    }

    [Fact]
    public void Add_BesideTheCacheOfBytes_LeavesItsOptionsAlone()
    {
        using var provider = Build(s => s.AddFasterCache<long, Stamp>(o => App.Small(o, name: "stamps")), s => s.AddFasterDistributedCache(App.Small));

        Assert.Equal("distributed", App.NameOf(provider.GetRequiredService<FasterDistributedCache>()));
    }

    [Fact]
    public void Add_AllOptionsConfiguredElsewhere_Count()
    {
        using var provider = Build(s => s.AddFasterCache<long, Stamp>(), s => s.ConfigureAll<FasterCacheOptions>(o => App.Small(o, name: "all")));

        Assert.Equal("all", App.NameOf(provider.GetRequiredService<FasterCache<long, Stamp>>()));
    }

    [Fact]
    public void Add_OptionsValidatedElsewhere_AreRefusedWhenResolved()
    {
        using var provider = Build(s => s.AddFasterCache<long, Stamp>(App.Small), s => s.AddSingleton<IValidateOptions<FasterCacheOptions>>(new RefuseAll()));

        Assert.Throws<OptionsValidationException>(() => provider.GetRequiredService<FasterCache<long, Stamp>>());
    }

    [Fact]
    public void AddTwice_SameTypes_ComposesOptionsAndAddsNothingElse()
    {
        using var provider = Build(s => s.AddFasterCache<long, Stamp>(o => App.Small(o, name: "first")), s => s.AddFasterCache<long, Stamp>(o => o.Name += "-second"));

        Assert.Equal("first-second", App.NameOf(Assert.Single(provider.GetServices<FasterCache<long, Stamp>>())));
    }

    [Fact]
    public void Add_AnyOverload_ReturnsTheServices()
    {
        var section = new ConfigurationBuilder().Build();

        Assert.All(
            [
                _services.AddFasterCache<long, long>(), _services.AddFasterCache<long, long>(App.Small), _services.AddFasterCache<long, long>(section),
                _services.AddKeyedFasterCache<long, long>("key"), _services.AddKeyedFasterCache<long, long>("key", App.Small), _services.AddKeyedFasterCache<long, long>("key", section),
            ],
            returned => Assert.Same(_services, returned));
    }

    [Theory]
    [MemberData(nameof(NullArguments))]
    public void Add_NullArgument_IsRefusedByName(string argument, Action<IServiceCollection> add) => Assert.Equal(argument, Assert.Throws<ArgumentNullException>(() => add(_services)).ParamName);

    [Fact]
    public void Resolve_TypeThatCannotBeStored_IsRefusedWithTheReason()
    {
        using var provider = Build(s => s.AddFasterCache<double, long>(App.Small));

        Assert.Contains("Double", Assert.Throws<ArgumentException>(() => provider.GetRequiredService<FasterCache<double, long>>()).Message, StringComparison.OrdinalIgnoreCase);
    }

    [Fact]
    public void Resolve_AfterARefusal_WorksOnceTheOptionsAreRight()
    {
        bool isRight = false;
        using var provider = Build(s => s.AddFasterCache<long, Stamp>(o =>
        {
            App.Small(o);
            if (!isRight) o.MemoryBudget = 1;
        }));
        Assert.Throws<ArgumentException>(() => provider.GetRequiredService<FasterCache<long, Stamp>>());
        isRight = true;
        provider.GetRequiredService<IOptionsMonitorCache<FasterCacheOptions>>().Clear();

        Assert.NotNull(provider.GetRequiredService<FasterCache<long, Stamp>>());
    }

    private ServiceProvider Build(params Action<IServiceCollection>[] steps)
    {
        foreach (var step in steps) step(_services);
        return _services.BuildServiceProvider();
    }

    private sealed class RefuseAll : IValidateOptions<FasterCacheOptions>
    {
        public ValidateOptionsResult Validate(string? name, FasterCacheOptions options) => ValidateOptionsResult.Fail("not today");
    }
}
