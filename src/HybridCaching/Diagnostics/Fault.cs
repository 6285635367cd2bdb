namespace HybridCaching.Diagnostics;

/// <summary>Named points between the steps of whatever a crash may interrupt: checkpoints, recovery, drops, moves, clears, changes of budgets. Tests end the process there; otherwise nothing happens at them, and they are never inside a single operation.</summary>
internal static class Fault
{
    /// <summary>What happens at every point; null for nothing. Set by the program of the crash tests before it opens a cache.</summary>
    public static Action<string>? Reached { get; set; }

    /// <summary>Says that a point is reached.</summary>
    /// <param name="name">What was done before it: <c>checkpoint.after-log</c>. The crash tests read the names from the source.</param>
    public static void Point(string name) => Reached?.Invoke(name);
}
