using System.Globalization;

namespace HybridCaching.WebTests;

/// <summary>Session values set over the network, in great number.</summary>
public sealed class SessionLoadTests : IDisposable
{
    private const string SetsVariable = "HYBRIDCACHING_SOAK_SETS";

    private readonly ContentRoot _root = new();

    public void Dispose() => _root.Dispose();

    [Fact]
    public Task Sets_Some_AreReadBackAlsoAfterARestart() => RunAsync(5_000);

    /// <summary>As many as HYBRIDCACHING_SOAK_SETS says; <c>./build.sh soak</c> sets it to a million.</summary>
    [Fact]
    [Trait("Category", "Soak")]
    public Task Sets_Many_AreReadBackAlsoAfterARestart()
    {
        bool isSoak = int.TryParse(Environment.GetEnvironmentVariable(SetsVariable), CultureInfo.InvariantCulture, out int sets);
        Assert.SkipUnless(isSoak, $"{SetsVariable} is not set; ./build.sh soak sets it.");
        return RunAsync(sets);
    }

    /// <summary>The budgets are small: of a million sets most sessions are on the disk before they are read back.</summary>
    private Task<SampleHost> StartAsync() => SampleHost.StartKestrelAsync(_root, "--Cache:MemoryBudget", "16MB", "--Cache:DiskBudget", "128MB");

    private async Task RunAsync(int sets)
    {
        var load = new SessionLoad(sets, TestContext.Current.SendDiagnosticMessage);
        await using (var host = await StartAsync())
        {
            await load.SetAsync(host.Address);
            await load.ReadBackAsync(host.Address);
        }

        await using var again = await StartAsync();
        await load.ReadBackAsync(again.Address);

        Assert.True(load.Errors == 0, $"{load.Errors} errors, first {load.FirstError}");
    }
}
