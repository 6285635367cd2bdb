using Microsoft.Extensions.DependencyInjection;

namespace HybridCaching.Hosting;

/// <summary>One cache in a collection of services: what it is resolved as, and the name of its options. It is itself a service, so that all of them can be found.</summary>
internal sealed class CacheRegistration(Type cacheType, object? key, string defaultName, string optionsName)
{
    private readonly List<ServiceDescriptor> _faces = [];

    /// <summary>The name of the cache if its options give none.</summary>
    public string DefaultName => defaultName;

    /// <summary>Named options for each closed type and key.</summary>
    public string OptionsName => optionsName;

    public bool IsOf(Type type, object? serviceKey) => cacheType == type && Equals(key, serviceKey);

    /// <summary>The cache, opened if it is not yet.</summary>
    public IHostedCache Resolve(IServiceProvider services) => (IHostedCache)(key is null ? services.GetRequiredService(cacheType) : services.GetRequiredKeyedService(cacheType, key));

    /// <summary>Registers the cache as another type, too.</summary>
    public void AddFace(IServiceCollection services, Type face)
    {
        var descriptor = key is null
            ? ServiceDescriptor.Singleton(face, Resolve)
            : ServiceDescriptor.KeyedSingleton(face, key, (provider, _) => Resolve(provider));
        _faces.Add(descriptor);
        services.Add(descriptor);
    }

    /// <summary>Makes the other types the last ones registered again: the last one wins.</summary>
    public void MoveFacesToEnd(IServiceCollection services)
    {
        foreach (var face in _faces)
        {
            if (services.Remove(face)) services.Add(face);
        }
    }
}
