namespace HybridCaching.Diagnostics;

/// <summary>Timers that carry nothing of where they are made: in a request, its log scopes and its trace would be kept as long as the timer.</summary>
internal static class DetachedTimer
{
    /// <summary>As <see cref="TimeProvider.CreateTimer"/>.</summary>
    public static ITimer Create(TimeProvider clock, TimerCallback callback, object state, TimeSpan dueTime, TimeSpan period)
    {
        AsyncFlowControl? flow = ExecutionContext.IsFlowSuppressed() ? null : ExecutionContext.SuppressFlow();
        try
        {
            return clock.CreateTimer(callback, state, dueTime, period);
        }
        finally
        {
            flow?.Undo();
        }
    }
}
