using Microsoft.Extensions.DependencyInjection;

namespace HybridCaching.Hosting;

/// <summary>One cache in a collection of services: what it is resolved as, and the name of its options. It is itself a service, so that all of them can be found.</summary>
internal sealed class CacheRegistration(Type cacheType, object? key, string defaultName, string optionsName)
{
    private readonly List<ServiceDescriptor> _faces = [];
    private ServiceDescriptor? _class;

    /// <summary>The name of the cache if its options give none.</summary>
    public string DefaultName => defaultName;

    /// <summary>Named options for each closed type and key.</summary>
    public string OptionsName => optionsName;

    public bool IsOf(Type type, object? serviceKey) => cacheType == type && Equals(key, serviceKey);

    /// <summary>The cache, opened if it is not yet.</summary>
    public IHostedCache Resolve(IServiceProvider services) => (IHostedCache)(key is null ? services.GetRequiredService(cacheType) : services.GetRequiredKeyedService(cacheType, key));

    /// <summary>Registers the cache as what it is.</summary>
    public void AddClass<TCache>(IServiceCollection services, Func<IServiceProvider, TCache> open)
        where TCache : class
    {
        _class = key is null ? ServiceDescriptor.Singleton(open) : ServiceDescriptor.KeyedSingleton(key, (provider, _) => open(provider));
        services.Add(_class);
    }

    /// <summary>Registers the cache as another type, too.</summary>
    public void AddFace(IServiceCollection services, Type face)
    {
        var descriptor = key is null
            ? ServiceDescriptor.Singleton(face, Resolve)
            : ServiceDescriptor.KeyedSingleton(face, key, (provider, _) => Resolve(provider));
        _faces.Add(descriptor);
        services.Add(descriptor);
    }

    /// <summary>Makes the other types the last ones registered again, since the last one wins, and puts back what somebody has removed.</summary>
    public void AddAgain(IServiceCollection services)
    {
        if (!services.Contains(_class!)) services.Add(_class!);
        foreach (var face in _faces)
        {
            services.Remove(face);
            services.Add(face);
        }
    }
}
