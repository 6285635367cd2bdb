using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.TestHost;
using Microsoft.Extensions.Logging;
using WebApp;

namespace HybridCaching.WebTests;

/// <summary>The sample, running in this process. To dispose it is to stop it in an orderly way.</summary>
internal sealed class SampleHost : IAsyncDisposable
{
    private readonly WebApplication _app;

    private SampleHost(WebApplication app) => _app = app;

    /// <summary>The address that Kestrel listens on.</summary>
    public Uri Address => new(_app.Urls.Single());

    /// <summary>Starts it without a network.</summary>
    public static Task<SampleHost> StartAsync(ContentRoot root, params string[] arguments) => StartAsync(root, arguments, host => host.UseTestServer());

    /// <summary>Starts it on a port that the system chooses.</summary>
    public static Task<SampleHost> StartKestrelAsync(ContentRoot root, params string[] arguments) => StartAsync(root, arguments, host => host.UseUrls("http://127.0.0.1:0"));

    /// <summary>A client without a network, with the cookies of one visitor.</summary>
    public HttpClient ClientOf(Visitor visitor)
    {
        var server = _app.GetTestServer();
        return new HttpClient(visitor.Over(server.CreateHandler())) { BaseAddress = server.BaseAddress };
    }

    public async ValueTask DisposeAsync()
    {
        await _app.StopAsync();
        await _app.DisposeAsync();
    }

    private static async Task<SampleHost> StartAsync(ContentRoot root, string[] arguments, Action<IWebHostBuilder> configure)
    {
        var app = WebAppProgram.Build(["--contentRoot", root.Path, .. arguments], builder =>
        {
            builder.Logging.ClearProviders();
            configure(builder.WebHost);
        });
        await app.StartAsync(TestContext.Current.CancellationToken);
        return new SampleHost(app);
    }
}
