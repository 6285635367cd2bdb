namespace HybridCaching.Diagnostics;

/// <summary>For tasks that whoever awaits them may leave: what they throw then is nobody's.</summary>
internal static class TaskObserver
{
    /// <summary>Lets no failure of the task be reported as unobserved.</summary>
    /// <returns>The task.</returns>
    public static Task ObserveFaults(this Task task)
    {
        task.ContinueWith(static failed => failed.Exception, CancellationToken.None, TaskContinuationOptions.OnlyOnFaulted | TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
        return task;
    }
}
