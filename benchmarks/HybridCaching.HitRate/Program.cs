using HybridCaching.HitRate.Traces;

namespace HybridCaching.HitRate;

/// <summary>Replays request traces through the caches of the library and through reference policies.</summary>
internal static class Program
{
    private const int Done = 0;
    private const int Failed = 1;

    private static Task<int> Main(string[] args) => SampleProgram.RunAsync("hitrate", async interrupted =>
    {
        var options = CommandLine.Parse(args, out int exitCode);
        return options is null ? exitCode : await RunAsync(options, interrupted);
    });

    private static async Task<int> RunAsync(HitRateOptions options, CancellationToken interrupted)
    {
        if (options.Work is not null) Environment.SetEnvironmentVariable(WorkDirectory.RootVariable, options.Work);
        var repository = Repository.Find();
        try
        {
            return await new HitRateRun(options, repository, TraceChoice.For(options, repository)).RunAsync(interrupted) ? Done : Failed;
        }
        catch (OperationCanceledException) when (interrupted.IsCancellationRequested)
        {
            return SampleProgram.Interrupted;
        }
        catch (Exception e) when (e is TraceFormatException or IOException or UnauthorizedAccessException)
        {
            throw new CannotStartException(e.Message);
        }
    }
}
