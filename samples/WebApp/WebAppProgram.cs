using Microsoft.AspNetCore.DataProtection;
using Microsoft.AspNetCore.Diagnostics.HealthChecks;

namespace WebApp;

/// <summary>A web application whose sessions and answers are in a local cache, there again after a restart.</summary>
public static class WebAppProgram
{
    private const string MetricsOption = "--metrics";

    /// <summary>Puts the application together.</summary>
    /// <param name="args">The command line: <c>--urls</c>, <c>--metrics</c>, and any setting, such as <c>--Cache:MemoryBudget 256MB</c>.</param>
    /// <param name="configure">Changes what was put together, before it is built; for tests.</param>
    /// <returns>The application, not yet started.</returns>
    public static WebApplication Build(string[] args, Action<WebApplicationBuilder>? configure = null)
    {
        var builder = WebApplication.CreateBuilder([.. args.Where(argument => argument != MetricsOption)]);
        if (args.Contains(MetricsOption)) builder.Services.AddHostedService<ConsoleTelemetry>();
        AddCaches(builder);
        AddSessions(builder);
        configure?.Invoke(builder);

        var app = builder.Build();
        app.UseSession();
        app.MapHomePage();
        app.MapSession();
        app.MapFactors();
        app.MapPrimes();
        app.MapStatistics();
        app.MapHealthChecks("/health", new HealthCheckOptions { ResponseWriter = HealthAnswer.WriteAsync });
        return app;
    }

    private static void AddCaches(WebApplicationBuilder builder)
    {
        var settings = builder.Configuration.GetSection("Cache");
        builder.Services.AddFasterDistributedCache(settings);
        builder.Services.AddFasterCache<long, long>(options =>
        {
            options.Name = "primes";
            options.Directory = settings["Directory"];
            options.MemoryBudget = "16MB";
            options.DiskBudget = "64MB";
        });
        builder.Services.AddHealthChecks().AddFasterCache();
    }

    private static void AddSessions(WebApplicationBuilder builder)
    {
        builder.Services.AddSession(options => options.Cookie.IsEssential = true);

        // The key of a session is encrypted in its visitor's cookie. Without the keys of the last run, which some systems keep in memory only, no cookie would be understood,
        // and the sessions would be in the cache but not to be found. The keys are in a folder beside the cache, not in it: a cache may drop what it holds.
        var protection = builder.Services.AddDataProtection().SetApplicationName(nameof(WebApp));
        if (builder.Configuration["Cache:Directory"] is not { Length: > 0 } directory) return;
        protection.PersistKeysToFileSystem(new DirectoryInfo(Path.Combine(builder.Environment.ContentRootPath, directory, "data-protection-keys")));
    }
}
