namespace HybridCaching.Tests.Support;

/// <summary>Waits for tasks on threads that may block.</summary>
public static class Tasks
{
    /// <summary>The result of a task; fails if it does not come long after it should have.</summary>
    public static T Result<T>(this Task<T> task) => task.WaitAsync(Until.Deadline).GetAwaiter().GetResult();
}
