namespace HybridCaching.Diagnostics;

/// <summary>Work on a thread of its own, for what may wait for the disk: those of the pool may all be waiting for us.</summary>
internal static class OwnThread
{
    public static Task Run(Action work) => Task.Factory.StartNew(work, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    public static Task<T> Run<T>(Func<T> work) => Task.Factory.StartNew(work, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
}
