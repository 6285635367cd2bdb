using System.Diagnostics.CodeAnalysis;
using System.Diagnostics.Metrics;
using HybridCaching.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace HybridCaching.Hosting;

/// <summary>Puts caches into a collection of services: what all registration methods have in common.</summary>
internal static class CacheServices
{
    /// <summary>Registers a cache, or, if it is registered already, only its options.</summary>
    /// <param name="services">The services.</param>
    /// <param name="key">The key of the service; null for none.</param>
    /// <param name="defaultName">The name of a cache of this type without a key.</param>
    /// <param name="configure">Sets the options; null for nothing to set.</param>
    /// <param name="open">Opens the cache.</param>
    /// <param name="optionsName">The name of the options of a cache without a key.</param>
    /// <param name="faces">What else it is resolved as.</param>
    public static IServiceCollection Add<TCache, [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicParameterlessConstructor)] TOptions>(
        IServiceCollection services, object? key, string defaultName, string optionsName, Action<TOptions>? configure, Func<TOptions, Surroundings, TCache> open, params ReadOnlySpan<Type> faces)
        where TCache : class, IHostedCache
        where TOptions : FasterCacheOptions
    {
        ArgumentNullException.ThrowIfNull(services);
        var known = RegistrationsIn(services).FirstOrDefault(r => r.IsOf(typeof(TCache), key));
        if (known is null)
        {
            string name = key is null ? defaultName : CacheName.WithKey(defaultName, key);
            known = new CacheRegistration(typeof(TCache), key, name, Unused(services, key is null ? optionsName : name));
            AddShared(services);
            services.AddSingleton(known);
            var registration = known;
            registration.AddClass(services, provider => Open(provider, registration, open));
            foreach (var face in faces) registration.AddFace(services, face);
        }
        else
        {
            known.AddAgain(services);
        }

        if (configure is not null) services.Configure(known.OptionsName, configure);
        return services;
    }

    /// <exception cref="ArgumentNullException">There is no key.</exception>
    /// <exception cref="ArgumentException">The key stands for all keys.</exception>
    public static object CheckKey(object serviceKey)
    {
        ArgumentNullException.ThrowIfNull(serviceKey);
        return ReferenceEquals(serviceKey, KeyedService.AnyKey) ? throw new ArgumentException("A cache needs a key of its own, not KeyedService.AnyKey.", nameof(serviceKey)) : serviceKey;
    }

    private static void AddShared(IServiceCollection services)
    {
        services.AddOptions();
        services.TryAddSingleton(TimeProvider.System);
        services.TryAddSingleton<OpenCaches>();
        services.AddHostedService<CacheHost>();
    }

    private static TCache Open<TCache, [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicParameterlessConstructor)] TOptions>(
        IServiceProvider services, CacheRegistration registration, Func<TOptions, Surroundings, TCache> open)
        where TCache : IHostedCache
        where TOptions : FasterCacheOptions
    {
        var options = services.GetRequiredService<IOptionsMonitor<TOptions>>().Get(registration.OptionsName);
        var opened = services.GetRequiredService<OpenCaches>(); // now: a host that gave up waiting may be gone when the cache is open, and its container disposes of what it is given
        var cache = open(options, new Surroundings
        {
            DefaultName = registration.DefaultName,
            ContentRoot = services.GetService<IHostEnvironment>()?.ContentRootPath,
            Clock = services.GetService<TimeProvider>() ?? TimeProvider.System,
            LoggerFactory = services.GetService<ILoggerFactory>(),
            MeterFactory = services.GetService<IMeterFactory>(),
        });
        opened.Add(registration, cache);
        return cache;
    }

    private static IEnumerable<CacheRegistration> RegistrationsIn(IServiceCollection services) =>
        services.Where(d => d.ServiceType == typeof(CacheRegistration)).Select(d => (CacheRegistration)d.ImplementationInstance!);

    /// <summary>Keys that differ may read the same: their options must not be one another's.</summary>
    private static string Unused(IServiceCollection services, string optionsName)
    {
        var taken = RegistrationsIn(services).Select(r => r.OptionsName).ToHashSet();
        string name = optionsName;
        for (int i = 2; taken.Contains(name); i++) name = $"{optionsName}#{i}";
        return name;
    }
}
