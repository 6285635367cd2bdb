using System.Diagnostics;

namespace HybridCaching.WebTests;

/// <summary>Runs the sample as a user does, in a directory of its own.</summary>
public sealed class ServerProcessTests : IDisposable
{
    private static readonly TimeSpan SomeSeconds = TimeSpan.FromSeconds(15);

    private readonly ContentRoot _root = new();
    private readonly Visitor _visitor = new();

    public ServerProcessTests() => Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows has no SIGTERM.");

    public void Dispose() => _root.Dispose();

    [Fact]
    public async Task Terminate_StartedAgain_HasTheSessionAndTheAnswers()
    {
        using (var server = await ServerProcess.StartAsync(_root))
        {
            using var client = server.ClientOf(_visitor);
            await client.SetSessionAsync("name", "Ada");
            await client.GetCachedAsync("/factors/600851475143");
            await AssertEndsWellAsync(server);
        }

        using var again = await ServerProcess.StartAsync(_root);
        using var sameVisitor = again.ClientOf(_visitor);

        Assert.Equal("Ada", await sameVisitor.GetSessionAsync("name"));
        Assert.Equal("hit", (await sameVisitor.GetCachedAsync("/factors/600851475143")).Cache);
    }

    [Fact]
    public async Task Start_SecondOnTheSameDirectory_ServesFromMemoryAndSaysSo()
    {
        using var first = await ServerProcess.StartAsync(_root);
        using var second = await ServerProcess.StartAsync(_root);
        using var client = second.ClientOf(_visitor);

        await client.SetSessionAsync("name", "Ada");
        var health = await client.GetJsonAsync("/health");

        Assert.Equal("Ada", await client.GetSessionAsync("name"));
        Assert.Equal("Degraded", health.GetProperty("status").GetString());
        Assert.Contains("is in use by process", health.ToString(), StringComparison.Ordinal);
        await AssertEndsWellAsync(second);
        await AssertEndsWellAsync(first);
    }

    [Fact]
    public async Task Start_DirectoryFreeAgain_IsHealthyAndWarm()
    {
        using (var first = await ServerProcess.StartAsync(_root))
        {
            using var second = await ServerProcess.StartAsync(_root);
            using var client = first.ClientOf(_visitor);
            await client.SetSessionAsync("name", "Ada");
            await AssertEndsWellAsync(second);
            await AssertEndsWellAsync(first);
        }

        using var third = await ServerProcess.StartAsync(_root);
        using var sameVisitor = third.ClientOf(_visitor);

        Assert.Equal("Healthy", (await sameVisitor.GetJsonAsync("/health")).GetProperty("status").GetString());
        Assert.Equal("Ada", await sameVisitor.GetSessionAsync("name"));
    }

    [Fact]
    public async Task Start_Metrics_AreWrittenToTheConsole()
    {
        using var server = await ServerProcess.StartAsync(_root, "--metrics");
        using var client = server.ClientOf(_visitor);
        await client.SetSessionAsync("name", "Ada");

        await AssertEndsWellAsync(server);

        Assert.Contains("hybridcaching.writes", server.Output, StringComparison.Ordinal);
    }

    private static async Task AssertEndsWellAsync(ServerProcess server)
    {
        long start = Stopwatch.GetTimestamp();
        int exitCode = await server.StopAsync();

        Assert.True(exitCode == 0, $"exit code {exitCode}:\n{server.Output}");
        Assert.InRange(Stopwatch.GetElapsedTime(start), TimeSpan.Zero, SomeSeconds);
    }
}
