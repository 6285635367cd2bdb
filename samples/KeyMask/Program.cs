using HybridCaching;

namespace KeyMask;

/// <summary>Times inserting, overwriting, reading and reading by mask, with many workers on one cache.</summary>
internal static class Program
{
    private const int Done = 0;
    private const int WrongAnswer = 1;

    private static Task<int> Main(string[] args) => SampleProgram.RunAsync(nameof(KeyMask), async interrupted =>
    {
        var options = CommandLine.Parse(args, out int exitCode);
        return options is null ? exitCode : await RunAsync(options, interrupted);
    });

    private static async Task<int> RunAsync(KeyMaskOptions options, CancellationToken interrupted)
    {
        Report.Begin(options);
        var warnings = new WarningCollector();
        var tests = new List<TimedTest>();
        try
        {
            await using var cache = Open(options, warnings);
            var workload = new Workload(cache, options, interrupted);
            tests.AddRange(workload.Tests());
            await Report.ShowProgressAsync(tests, options.Workers, interrupted);
            if (!interrupted.IsCancellationRequested) Report.ShowFound(workload);
        }
        catch (WrongAnswerException e)
        {
            await Console.Error.WriteLineAsync($"{nameof(KeyMask)}: {e.Message}");
            return WrongAnswer;
        }

        warnings.Show();
        if (interrupted.IsCancellationRequested) return SampleProgram.Interrupted;
        Report.ShowTimes(tests, options);
        return Done;
    }

    private static FasterDistributedCache Open(KeyMaskOptions options, WarningCollector warnings) => SampleProgram.Open(() =>
    {
        var cache = new FasterDistributedCache(
            new FasterDistributedCacheOptions
            {
                Name = "key-mask",
                Directory = options.Directory,
                MemoryBudget = options.MemoryBudget,
                TypicalEntryBytes = 40,
                WhenDirectoryUnavailable = DirectoryUnavailable.Throw,
            },
            warnings);
        cache.Clear(); // the directory keeps the entries of the last run
        return cache;
    });
}
