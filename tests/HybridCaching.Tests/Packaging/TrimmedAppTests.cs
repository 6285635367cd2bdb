using System.Text.RegularExpressions;

namespace HybridCaching.Tests.Packaging;

/// <summary>An application with a host, both caches and a health check, published trimmed.</summary>
[Trait("Category", "Packaging")]
public sealed partial class TrimmedAppTests(PackedLibrary packed) : IClassFixture<PackedLibrary>
{
    [Fact]
    public async Task Publish_Trimmed_WarnsOfNothingOfOursAndRunsWarm()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && System.Runtime.InteropServices.RuntimeInformation.ProcessArchitecture == System.Runtime.InteropServices.Architecture.X64, "This publishes for linux-x64.");
        using var scratch = new TestDirectory();
        WriteApplication(scratch);

        var (restored, restoring) = await DotnetCommand.TryRunAsync(scratch.Path, "restore", "Scratch.csproj");
        if (restored != 0 && restoring.Contains("Microsoft.NETCore.App.Runtime", StringComparison.Ordinal)) Assert.Skip("This needs a feed that holds the runtime for self-contained applications.");
        Assert.True(restored == 0, restoring);
        string publishing = await DotnetCommand.RunAsync(scratch.Path, "publish", "Scratch.csproj", "-c", "Release", "--no-restore", "-o", scratch.Combine("out"));

        Assert.Contains("FASTER.core", publishing, StringComparison.Ordinal); // the engine's warnings are there, so ours would be
        Assert.Empty(OurWarnings().Matches(publishing));
        Assert.EndsWith("cold", (await RunAsync(scratch)).Trim(), StringComparison.Ordinal);
        Assert.EndsWith("warm", (await RunAsync(scratch)).Trim(), StringComparison.Ordinal);
    }

    private static async Task<string> RunAsync(TestDirectory scratch)
    {
        var (exitCode, output) = await DotnetCommand.RunProgramAsync(scratch.Combine("out/Scratch"), scratch.Path, scratch.Combine("cache"));
        Assert.True(exitCode == 0, output);
        return output;
    }

    private void WriteApplication(TestDirectory scratch)
    {
        packed.WriteProject(
            scratch,
            "<PublishTrimmed>true</PublishTrimmed><RuntimeIdentifier>linux-x64</RuntimeIdentifier><SelfContained>true</SelfContained><TrimmerSingleWarn>false</TrimmerSingleWarn><InvariantGlobalization>true</InvariantGlobalization>",
            """<PackageReference Include="Microsoft.Extensions.Hosting" Version="10.0.0" />""");
        File.WriteAllText(scratch.Combine("Program.cs"), """
            using HybridCaching;
            using Microsoft.Extensions.Configuration;
            using Microsoft.Extensions.DependencyInjection;
            using Microsoft.Extensions.Diagnostics.HealthChecks;
            using Microsoft.Extensions.Hosting;
            using Microsoft.Extensions.Logging;

            var builder = Host.CreateApplicationBuilder();
            builder.Logging.ClearProviders();
            builder.Configuration.AddInMemoryCollection(new Dictionary<string, string?> { ["Cache:Directory"] = args[0], ["Cache:MemoryBudget"] = "32MB", ["Cache:DiskBudget"] = "64MB" });
            builder.Services.AddFasterDistributedCache(builder.Configuration.GetSection("Cache"));
            builder.Services.AddFasterCache<long, Guid>(builder.Configuration.GetSection("Cache"));
            builder.Services.AddHealthChecks().AddFasterCache();
            using var host = builder.Build();
            await host.StartAsync();
            var bytes = host.Services.GetRequiredService<FasterDistributedCache>();
            var typed = host.Services.GetRequiredService<FasterCache<long, Guid>>();
            var health = await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync();
            if (health.Status != HealthStatus.Healthy) throw new InvalidOperationException(health.Entries.First().Value.Description);
            int found = 0;
            for (int i = 0; i < 100; i++)
            {
                if (typed.TryGet(i, out _) && bytes.Get($"key {i}") is { Length: 3 }) found++;
                typed.Set(i, Guid.NewGuid());
                bytes.Set($"key {i}", [1, 2, 3], new());
            }

            await host.StopAsync();
            Console.WriteLine(found switch { 0 => "cold", 100 => "warm", _ => $"{found} of 100" });
            """);
    }

    [GeneratedRegex("warning IL[0-9]+: HybridCaching")]
    private static partial Regex OurWarnings();
}
