using HybridCaching;
using HybridCaching.Configuration;
using HybridCaching.Hosting;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Configuration;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Registers <see cref="FasterDistributedCache"/>.</summary>
/// <remarks>
/// <para>
/// The class, <see cref="IDistributedCache"/> and <see cref="IBufferDistributedCache"/> are one instance, those of a cache with a key under that key; without a key the <see cref="IDistributedCache"/> that was registered last is the one that is resolved.
/// A host opens the cache before traffic and writes a checkpoint when it stops; without a host the cache is opened when it is first resolved.
/// A relative <see cref="FasterCacheOptions.Directory"/> is taken from the host's content root, if there is a host.
/// </para>
/// <para>Calling a method again adds to the options, in the order of the calls, and nothing else.</para>
/// </remarks>
public static class FasterDistributedCacheServiceCollectionExtensions
{
    /// <summary>Registers a cache with default options: no <see cref="FasterCacheOptions.Directory"/>, so in memory only, unless they are configured elsewhere.</summary>
    /// <param name="services">The services.</param>
    /// <returns><paramref name="services"/>.</returns>
    public static IServiceCollection AddFasterDistributedCache(this IServiceCollection services) => Add(services, null);

    /// <summary>Registers a cache.</summary>
    /// <param name="services">The services.</param>
    /// <param name="configure">Sets the options.</param>
    /// <returns><paramref name="services"/>.</returns>
    public static IServiceCollection AddFasterDistributedCache(this IServiceCollection services, Action<FasterDistributedCacheOptions> configure) =>
        Add(services, null, configure ?? throw new ArgumentNullException(nameof(configure)));

    /// <summary>Registers a cache with the options of a section of the configuration: its keys are the names of the options.</summary>
    /// <param name="services">The services.</param>
    /// <param name="configuration">The section. It is read when the cache is opened; a value that is not understood is an <see cref="InvalidOperationException"/> that names path, value and accepted forms.</param>
    /// <returns><paramref name="services"/>.</returns>
    public static IServiceCollection AddFasterDistributedCache(this IServiceCollection services, IConfiguration configuration) => Add(services, null, OptionsReader.Of(configuration));

    /// <summary>Registers a cache under a key, with default options.</summary>
    /// <param name="services">The services.</param>
    /// <param name="serviceKey">The key. Unless <see cref="FasterCacheOptions.Name"/> is set, the cache's name, and with it its folder, is made from it: use text, a number or an enum.</param>
    /// <returns><paramref name="services"/>.</returns>
    public static IServiceCollection AddKeyedFasterDistributedCache(this IServiceCollection services, object serviceKey) => Add(services, CacheServices.CheckKey(serviceKey));

    /// <summary>Registers a cache under a key.</summary>
    /// <inheritdoc cref="AddKeyedFasterDistributedCache(IServiceCollection, object)"/>
    /// <param name="services">The services.</param>
    /// <param name="serviceKey">The key.</param>
    /// <param name="configure">Sets the options.</param>
    public static IServiceCollection AddKeyedFasterDistributedCache(this IServiceCollection services, object serviceKey, Action<FasterDistributedCacheOptions> configure) =>
        Add(services, CacheServices.CheckKey(serviceKey), configure ?? throw new ArgumentNullException(nameof(configure)));

    /// <summary>Registers a cache under a key with the options of a section of the configuration.</summary>
    /// <inheritdoc cref="AddFasterDistributedCache(IServiceCollection, IConfiguration)"/>
    /// <param name="services">The services.</param>
    /// <param name="serviceKey">The key.</param>
    /// <param name="configuration">The section.</param>
    public static IServiceCollection AddKeyedFasterDistributedCache(this IServiceCollection services, object serviceKey, IConfiguration configuration) =>
        Add(services, CacheServices.CheckKey(serviceKey), OptionsReader.Of(configuration));

    private static IServiceCollection Add(IServiceCollection services, object? key, Action<FasterDistributedCacheOptions>? configure = null) =>
        CacheServices.Add(
            services, key, FasterDistributedCache.DefaultName, Options.Options.DefaultName, configure,
            (options, surroundings) => new FasterDistributedCache(options, surroundings),
            typeof(IDistributedCache), typeof(IBufferDistributedCache));
}
