using HybridCaching.Hosting;
using HybridCaching.Tests.Support;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace HybridCaching.Tests.Hosting;

/// <summary>Applications with small caches.</summary>
internal static class App
{
    public const string TypedName = "typed";
    public const string BytesName = "bytes";

    public static readonly byte[] Value = [1, 2, 3];

    /// <summary>A builder of a real host, without sources of configuration, whose log goes to a test.</summary>
    public static HostApplicationBuilder NewBuilder(string? contentRoot = null, ILoggerFactory? log = null)
    {
        var builder = Host.CreateApplicationBuilder(new HostApplicationBuilderSettings { DisableDefaults = true, ContentRootPath = contentRoot });
        if (log is not null) builder.Services.AddSingleton(log);
        return builder;
    }

    /// <summary>A host with one typed cache.</summary>
    public static IHost NewTyped(string directory, ILoggerFactory? log = null, Action<FasterCacheOptions>? change = null, Action<IServiceCollection>? before = null)
    {
        var builder = NewBuilder(log: log);
        before?.Invoke(builder.Services);
        builder.Services.AddFasterCache<long, Stamp>(options =>
        {
            Small(options, directory, TypedName);
            change?.Invoke(options);
        });
        return builder.Build();
    }

    /// <summary>A host with one cache of bytes.</summary>
    public static IHost NewBytes(string directory, ILoggerFactory? log = null, Action<FasterDistributedCacheOptions>? change = null, Action<IServiceCollection>? before = null)
    {
        var builder = NewBuilder(log: log);
        before?.Invoke(builder.Services);
        builder.Services.AddFasterDistributedCache(options =>
        {
            Small(options, directory, BytesName);
            change?.Invoke(options);
        });
        return builder.Build();
    }

    public static FasterCache<long, Stamp> Typed(this IHost host) => host.Services.GetRequiredService<FasterCache<long, Stamp>>();

    public static FasterDistributedCache Bytes(this IHost host) => host.Services.GetRequiredService<FasterDistributedCache>();

    public static void Small(FasterCacheOptions options, string? directory = null, string? name = null)
    {
        options.MemoryBudget = options is FasterDistributedCacheOptions ? "32MB" : "12MB";
        options.DiskBudget = "128MB";
        options.DiskTimeout = Until.Deadline;
        options.Directory = directory;
        options.Name = name;
    }

    public static void Small(FasterCacheOptions options) => Small(options, directory: null);

    /// <summary>The name that a cache has, whatever its keys and values are.</summary>
    public static string NameOf(object cache) => ((IHostedCache)cache).Name;

    /// <summary>Copies the folder of a cache as a kill of its process would leave it at this moment; returns the directory of the copy.</summary>
    public static TestDirectory CopyOf(string directory, string name)
    {
        var copy = new TestDirectory();
        StampCache.Copy(Path.Combine(directory, name), copy.Combine(name));
        return copy;
    }

    /// <summary>Waits until nobody has a cache's folder any more: a cache whose disk hung may go on closing after its Dispose has returned.</summary>
    public static void AwaitFree(string directory, string name) => Until.True(() => IsFree(Path.Combine(directory, name, "lock")), "the folder is free");

    private static bool IsFree(string lockFile)
    {
        try
        {
            using var file = new FileStream(lockFile, FileMode.Open, FileAccess.ReadWrite, FileShare.None);
            return true;
        }
        catch (IOException)
        {
            return false;
        }
    }
}
