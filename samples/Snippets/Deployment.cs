using System.Runtime.InteropServices;
using HybridCaching;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Snippets;

/// <summary>The code of docs/deployment.md.</summary>
internal static class Deployment
{
    internal static IHost OneNode(string[] args)
    {
        var builder = Host.CreateApplicationBuilder(args);
        builder.Services.AddFasterDistributedCache(builder.Configuration.GetRequiredSection("Cache"));
        builder.Services.AddHealthChecks().AddFasterCache();

        builder.Services.Configure<HostOptions>(options => options.ShutdownTimeout = TimeSpan.FromSeconds(45));
        return builder.Build();
    }

    internal static void OnAppService(FasterCacheOptions options)
    {
        options.Directory = Path.Combine(Path.GetTempPath(), "shop-cache");
    }

    internal static async Task WithoutAHost()
    {
        using var stop = new CancellationTokenSource();
        using var onTerm = PosixSignalRegistration.Create(PosixSignal.SIGTERM, Stop);
        using var onInt = PosixSignalRegistration.Create(PosixSignal.SIGINT, Stop);

        using var cache = new FasterCache<long, long>(new FasterCacheOptions { Directory = "cache", MemoryBudget = "64MB", DiskBudget = "4GB" });
        await WorkAsync(cache, stop.Token);

        void Stop(PosixSignalContext signal)
        {
            signal.Cancel = true;   // the process goes on, and ends by itself once the cache is disposed
            stop.Cancel();
        }
    }

    private static Task WorkAsync(FasterCache<long, long> cache, CancellationToken token) => Task.Run(() => cache.Clear(), token);
}
