using HybridCaching.Tests.Support;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.DependencyInjection;

namespace HybridCaching.Tests.Hosting;

/// <summary>A container without a host: what it has opened it closes.</summary>
public sealed class ProviderDisposalTests : IDisposable
{
    private readonly TestDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public void Dispose_AllFacesResolved_ClosesTheCache()
    {
        var provider = Build();
        var cache = ResolveAll(provider);
        provider.Dispose();

        Assert.Throws<ObjectDisposedException>(() => cache.Get("key"));
    }

    [Fact]
    public async Task DisposeAsync_AllFacesResolved_ClosesTheCache()
    {
        var provider = Build();
        var cache = ResolveAll(provider);
        await provider.DisposeAsync();

        Assert.Throws<ObjectDisposedException>(() => cache.Get("key"));
    }

    [Fact]
    public void Dispose_SomethingStored_IsWarmNextTime()
    {
        using (var provider = Build())
        {
            ResolveAll(provider).Set("key", App.Value, new());
            provider.GetRequiredService<FasterCache<long, Stamp>>().Set(1, Stamp.Of(1, 1));
        }

        AssertWarm();
    }

    [Fact]
    public async Task DisposeAsync_SomethingStored_IsWarmNextTime()
    {
        await using (var provider = Build())
        {
            ResolveAll(provider).Set("key", App.Value, new());
            provider.GetRequiredService<FasterCache<long, Stamp>>().Set(1, Stamp.Of(1, 1));
        }

        AssertWarm();
    }

    [Fact]
    public void Dispose_CacheDisposedBefore_IsNoFault()
    {
        var provider = Build();
        ResolveAll(provider).Dispose();
        provider.Dispose();
        provider.Dispose();
    }

    [Fact]
    public void Dispose_Scope_LeavesTheCacheOpen()
    {
        using var provider = Build();
        IDistributedCache cache;
        using (var scope = provider.CreateScope()) cache = scope.ServiceProvider.GetRequiredService<IDistributedCache>();

        Assert.Null(cache.Get("key"));
    }

    [Fact]
    public void Resolve_AfterDispose_OpensNothing()
    {
        var provider = Build();
        provider.Dispose();

        Assert.Throws<ObjectDisposedException>(() => provider.GetRequiredService<FasterDistributedCache>());
        Assert.Empty(Directory.EnumerateFileSystemEntries(_directory.Path));
    }

    [Fact]
    public void Dispose_KeyedCaches_AreClosed()
    {
        var provider = new ServiceCollection().AddKeyedFasterDistributedCache("key", App.Small).AddKeyedFasterCache<long, long>("key", App.Small).BuildServiceProvider();
        var bytes = provider.GetRequiredKeyedService<FasterDistributedCache>("key");
        var typed = provider.GetRequiredKeyedService<FasterCache<long, long>>("key");
        provider.Dispose();

        Assert.Throws<ObjectDisposedException>(() => bytes.Get("key"));
        Assert.Throws<ObjectDisposedException>(() => typed.TryGet(1, out _));
    }

    private static FasterDistributedCache ResolveAll(IServiceProvider provider)
    {
        provider.GetRequiredService<IDistributedCache>();
        provider.GetRequiredService<IBufferDistributedCache>();
        return provider.GetRequiredService<FasterDistributedCache>();
    }

    private void AssertWarm()
    {
        using var again = Build();
        Assert.Equal(App.Value, again.GetRequiredService<IDistributedCache>().Get("key"));
        Assert.True(again.GetRequiredService<FasterCache<long, Stamp>>().TryGet(1, out var value));
        Assert.Equal(Stamp.Of(1, 1), value);
    }

    private ServiceProvider Build() => new ServiceCollection()
        .AddFasterDistributedCache(o => App.Small(o, _directory.Path))
        .AddFasterCache<long, Stamp>(o => App.Small(o, _directory.Path))
        .BuildServiceProvider();
}
