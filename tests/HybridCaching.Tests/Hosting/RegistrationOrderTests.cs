using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace HybridCaching.Tests.Hosting;

/// <summary>Of several caches registered as <see cref="IDistributedCache"/> the last one wins.</summary>
public sealed class RegistrationOrderTests
{
    private const string Key = "key";
    private readonly ServiceCollection _services = new();

    [Fact]
    public void Resolve_OtherBefore_IsOurs() => Assert.True(IsOurs(Other, Ours));

    [Fact]
    public void Resolve_OtherAfter_IsTheOther() => Assert.False(IsOurs(Ours, Other));

    [Fact]
    public void Resolve_OtherBetween_IsOurs() => Assert.True(IsOurs(Ours, Other, Ours));

    [Fact]
    public void Resolve_OtherAfterOursTwice_IsTheOther() => Assert.False(IsOurs(Ours, Ours, Other));

    [Fact]
    public void Resolve_OtherBeforeAndAfter_IsTheOther() => Assert.False(IsOurs(Other, Ours, Other));

    /// <summary>As AddDistributedMemoryCache does it.</summary>
    [Fact]
    public void Resolve_OtherAddedIfThereIsNone_IsOurs() => Assert.True(IsOurs(Ours, s => s.TryAddSingleton<IDistributedCache, OtherDistributedCache>()));

    [Fact]
    public void Resolve_OtherTakesOurPlace_IsTheOther() => Assert.False(IsOurs(Ours, s => s.Replace(ServiceDescriptor.Singleton<IDistributedCache, OtherDistributedCache>())));

    /// <summary>As tests of an application do it.</summary>
    [Fact]
    public void Resolve_OursRemovedAndAddedAgain_IsOurs() => Assert.True(IsOurs(Ours, s => s.RemoveAll<IDistributedCache>(), Ours));

    [Fact]
    public void Resolve_OtherAfter_LeavesClassAndBufferInterfaceOurs()
    {
        using var provider = Build(Ours, Other);

        Assert.Same(provider.GetRequiredService<FasterDistributedCache>(), provider.GetRequiredService<IBufferDistributedCache>());
    }

    [Fact]
    public void Resolve_All_HasEachOnce()
    {
        using var provider = Build(Ours, Other, Ours, Ours);

        Assert.Equal([typeof(OtherDistributedCache), typeof(FasterDistributedCache)], provider.GetServices<IDistributedCache>().Select(c => c.GetType()));
    }

    [Fact]
    public void ResolveKeyed_OtherBefore_IsOurs() => Assert.True(IsOurs(Key, KeyedOther, KeyedOurs));

    [Fact]
    public void ResolveKeyed_OtherAfter_IsTheOther() => Assert.False(IsOurs(Key, KeyedOurs, KeyedOther));

    [Fact]
    public void ResolveKeyed_OtherBetween_IsOurs() => Assert.True(IsOurs(Key, KeyedOurs, KeyedOther, KeyedOurs));

    [Fact]
    public void Resolve_KeyedAfterwards_IsStillTheOther() => Assert.False(IsOurs(Ours, Other, KeyedOurs));

    private static void Ours(IServiceCollection services) => services.AddFasterDistributedCache(App.Small);

    private static void KeyedOurs(IServiceCollection services) => services.AddKeyedFasterDistributedCache(Key, App.Small);

    private static void Other(IServiceCollection services) => services.AddSingleton<IDistributedCache, OtherDistributedCache>();

    private static void KeyedOther(IServiceCollection services) => services.AddKeyedSingleton<IDistributedCache, OtherDistributedCache>(Key);

    private bool IsOurs(params Action<IServiceCollection>[] steps)
    {
        using var provider = Build(steps);
        return provider.GetRequiredService<IDistributedCache>() is FasterDistributedCache;
    }

    private bool IsOurs(string key, params Action<IServiceCollection>[] steps)
    {
        using var provider = Build(steps);
        return provider.GetRequiredKeyedService<IDistributedCache>(key) is FasterDistributedCache;
    }

    private ServiceProvider Build(params Action<IServiceCollection>[] steps)
    {
        foreach (var step in steps) step(_services);
        return _services.BuildServiceProvider();
    }
}
