namespace HybridCaching.HitRate.Reporting;

/// <summary>A piece of work that shows how far it is.</summary>
/// <param name="Name">What the user sees.</param>
/// <param name="Steps">How many steps there are.</param>
/// <param name="Done">How many are over.</param>
/// <param name="Run">Does it.</param>
internal sealed record Job(string Name, double Steps, Func<double> Done, Action<CancellationToken> Run)
{
    /// <summary>Does jobs in their order, some at once, with a bar for each. The first failure ends all.</summary>
    public static Task RunAllAsync(IEnumerable<Job> jobs, int workers, CancellationToken cancellationToken) =>
        Terminal.Progress().StartAsync(progress =>
            Parallel.ForEachAsync(jobs, new ParallelOptions { MaxDegreeOfParallelism = workers, CancellationToken = cancellationToken }, async (job, cancellation) =>
            {
                var bar = progress.AddTask(job.Name, maxValue: job.Steps);
                // A thread of its own: a read that needs the disk blocks it.
                await bar.FollowAsync(Task.Factory.StartNew(() => job.Run(cancellation), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default), job.Done);
                bar.StopTask();
            }));
}
