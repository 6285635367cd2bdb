namespace KeyMask;

/// <summary>What the user sees.</summary>
internal static class Report
{
    public static void Begin(KeyMaskOptions options) =>
        Console.WriteLine($"{options.Count:N0} entries, {options.Masks:N0} masks, {options.Workers} workers, {options.MemoryBudget} of memory, {(options.Directory is null ? "no disk tier" : $"disk tier in {options.Directory}")}");

    /// <summary>Runs the tests one after the other, a bar for each.</summary>
    public static Task ShowProgressAsync(IReadOnlyList<TimedTest> tests, int workers, CancellationToken cancellationToken) =>
        Terminal.Progress().StartAsync(async progress =>
        {
            foreach (var test in tests)
            {
                var bar = progress.AddTask(test.Name, maxValue: Math.Max(1, test.Steps));
                await bar.FollowAsync(test.RunAsync(workers, cancellationToken), () => test.Taken);
                bar.StopTask();
            }
        });

    public static void ShowFound(Workload workload) =>
        Console.WriteLine($"read {workload.Found:N0} of {workload.Asked:N0} values, by mask {workload.FoundByMask:N0} of {workload.MatchedByMask:N0}; all of them right");

    public static void ShowTimes(IReadOnlyList<TimedTest> tests, KeyMaskOptions options) =>
        Console.WriteLine($"{string.Join(", ", tests.Select(test => $"{test.Name} {test.Elapsed.TotalMilliseconds:N0} ms"))} ({options.Masks:N0} masks)");
}
