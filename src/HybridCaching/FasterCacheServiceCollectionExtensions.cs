using HybridCaching;
using HybridCaching.Configuration;
using HybridCaching.Hosting;
using Microsoft.Extensions.Configuration;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Registers <see cref="FasterCache{TKey, TValue}"/>.</summary>
/// <remarks>
/// <para>
/// A host opens the cache before traffic and writes a checkpoint when it stops; without a host the cache is opened when it is first resolved.
/// A relative <see cref="FasterCacheOptions.Directory"/> is taken from the host's content root, if there is a host. Caches of different types may share a directory.
/// </para>
/// <para>
/// Calling a method again for the same types and key adds to the options, in the order of the calls, and nothing else. The options have a name of their own, for there is a cache for each pair of types:
/// what sets them elsewhere is <c>ConfigureAll</c>, not <c>Configure</c> without a name.
/// </para>
/// </remarks>
public static class FasterCacheServiceCollectionExtensions
{
    /// <summary>Registers a cache with default options: no <see cref="FasterCacheOptions.Directory"/>, so in memory only, unless they are configured elsewhere.</summary>
    /// <typeparam name="TKey">The type of the keys.</typeparam>
    /// <typeparam name="TValue">The type of the values.</typeparam>
    /// <param name="services">The services.</param>
    /// <returns><paramref name="services"/>.</returns>
    public static IServiceCollection AddFasterCache<TKey, TValue>(this IServiceCollection services)
        where TKey : unmanaged, IEquatable<TKey>
        where TValue : unmanaged => Add<TKey, TValue>(services, null);

    /// <summary>Registers a cache.</summary>
    /// <inheritdoc cref="AddFasterCache{TKey, TValue}(IServiceCollection)"/>
    /// <param name="services">The services.</param>
    /// <param name="configure">Sets the options.</param>
    public static IServiceCollection AddFasterCache<TKey, TValue>(this IServiceCollection services, Action<FasterCacheOptions> configure)
        where TKey : unmanaged, IEquatable<TKey>
        where TValue : unmanaged => Add<TKey, TValue>(services, null, configure ?? throw new ArgumentNullException(nameof(configure)));

    /// <summary>Registers a cache with the options of a section of the configuration: its keys are the names of the options.</summary>
    /// <inheritdoc cref="AddFasterCache{TKey, TValue}(IServiceCollection)"/>
    /// <param name="services">The services.</param>
    /// <param name="configuration">The section. It is read when the cache is opened; a value that is not understood is an <see cref="InvalidOperationException"/> that names path, value and accepted forms.</param>
    public static IServiceCollection AddFasterCache<TKey, TValue>(this IServiceCollection services, IConfiguration configuration)
        where TKey : unmanaged, IEquatable<TKey>
        where TValue : unmanaged => Add<TKey, TValue>(services, null, OptionsReader.Of(configuration));

    /// <summary>Registers a cache under a key, with default options.</summary>
    /// <inheritdoc cref="AddFasterCache{TKey, TValue}(IServiceCollection)"/>
    /// <param name="services">The services.</param>
    /// <param name="serviceKey">The key. Unless <see cref="FasterCacheOptions.Name"/> is set, the cache's name, and with it its folder, is made from it: use text, a number or an enum.</param>
    public static IServiceCollection AddKeyedFasterCache<TKey, TValue>(this IServiceCollection services, object serviceKey)
        where TKey : unmanaged, IEquatable<TKey>
        where TValue : unmanaged => Add<TKey, TValue>(services, CacheServices.CheckKey(serviceKey));

    /// <summary>Registers a cache under a key.</summary>
    /// <inheritdoc cref="AddKeyedFasterCache{TKey, TValue}(IServiceCollection, object)"/>
    /// <param name="services">The services.</param>
    /// <param name="serviceKey">The key.</param>
    /// <param name="configure">Sets the options.</param>
    public static IServiceCollection AddKeyedFasterCache<TKey, TValue>(this IServiceCollection services, object serviceKey, Action<FasterCacheOptions> configure)
        where TKey : unmanaged, IEquatable<TKey>
        where TValue : unmanaged => Add<TKey, TValue>(services, CacheServices.CheckKey(serviceKey), configure ?? throw new ArgumentNullException(nameof(configure)));

    /// <summary>Registers a cache under a key with the options of a section of the configuration.</summary>
    /// <inheritdoc cref="AddFasterCache{TKey, TValue}(IServiceCollection, IConfiguration)"/>
    /// <param name="services">The services.</param>
    /// <param name="serviceKey">The key.</param>
    /// <param name="configuration">The section.</param>
    public static IServiceCollection AddKeyedFasterCache<TKey, TValue>(this IServiceCollection services, object serviceKey, IConfiguration configuration)
        where TKey : unmanaged, IEquatable<TKey>
        where TValue : unmanaged => Add<TKey, TValue>(services, CacheServices.CheckKey(serviceKey), OptionsReader.Of(configuration));

    private static IServiceCollection Add<TKey, TValue>(IServiceCollection services, object? key, Action<FasterCacheOptions>? configure = null)
        where TKey : unmanaged, IEquatable<TKey>
        where TValue : unmanaged =>
        CacheServices.Add(
            services, key, FasterCache<TKey, TValue>.DefaultName, FasterCache<TKey, TValue>.DefaultName, configure, (options, surroundings) => new FasterCache<TKey, TValue>(options, surroundings));
}
