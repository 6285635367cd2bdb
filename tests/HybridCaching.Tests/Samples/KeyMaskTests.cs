namespace HybridCaching.Tests.Samples;

/// <summary>Runs the sample as a user does, with few entries, in a directory of its own.</summary>
public sealed class KeyMaskTests : IDisposable
{
    private readonly TestDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public async Task Run_FewEntries_EndsWithTheTimes()
    {
        var run = await RunAsync("--count", "2000", "--masks", "10");

        Assert.Equal((0, ""), (run.ExitCode, run.Error));
        Assert.Matches(@"^insert [\d,]+ ms, overwrite [\d,]+ ms, read [\d,]+ ms, read by mask [\d,]+ ms \(10 masks\)$", run.Output.TrimEnd().Split('\n')[^1]);
    }

    [Theory]
    [InlineData]
    [InlineData("--memory-only")]
    public async Task Run_FewEntries_FindsAllOfThem(params string[] options)
    {
        // Numbers of three digits, of two and of one; with 1,000 draws of 120 numbers each of them is drawn.
        var run = await RunAsync([.. options, "--count", "120", "--masks", "1000", "--workers", "3"]);

        Assert.Equal(0, run.ExitCode);
        Assert.Matches(@"read 120 of 120 values, by mask (?<found>[\d,]+) of \k<found>; all of them right", run.Output);
    }

    [Fact]
    public async Task Run_SecondTime_StartsFromNothing()
    {
        await RunAsync("--count", "2000", "--masks", "10");

        var run = await RunAsync("--count", "100", "--masks", "10");

        Assert.Matches(@"read 100 of 100 values, by mask (?<found>[\d,]+) of \k<found>;", run.Output);
    }

    [Fact]
    public async Task Run_OutputRedirected_WritesNoControlCodes()
    {
        var run = await RunAsync("--count", "10", "--masks", "1");

        Assert.DoesNotContain('\e', run.Output);
    }

    [Fact]
    public async Task Run_MemoryBudgetTooSmall_IsRefusedInOneLine()
    {
        var run = await RunAsync("--memory", "1MB");

        Assert.Equal(2, run.ExitCode);
        Assert.Contains("1MB", Assert.Single(run.ErrorLines), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Run_NumberOutOfRange_IsRefusedInOneLine()
    {
        var run = await RunAsync("--workers", "0");

        Assert.Equal(2, run.ExitCode);
        Assert.Contains("--workers '0'", Assert.Single(run.ErrorLines), StringComparison.Ordinal);
    }

    private Task<SampleProcess> RunAsync(params string[] options) => SampleProcess.RunAsync("KeyMask", _directory.Path, options);
}
