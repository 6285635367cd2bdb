using System.Collections.Concurrent;

namespace HybridCaching.CrashTests.Child;

/// <summary>What a process says to its parent, a line each, at once: what was said outlives it.</summary>
internal static class Output
{
    public const string Logged = "logged";
    public const string Opened = "opened";
    public const string Judged = "judged";
    public const string Violation = "violation";
    public const string Point = "point";
    public const string Resting = "resting";
    public const string Closing = "closing";
    public const string Closed = "closed";
    public const string Owner = "owner";
    public const string Loser = "loser";
    public const string Ready = "ready";

    private static readonly ConcurrentDictionary<string, bool> PointsSaid = new();

    public static void Say(string what, string details = "")
    {
        lock (PointsSaid) Console.Out.WriteLine($"{what} {details}");
    }

    /// <summary>Says that a point was reached, the first time.</summary>
    public static void SayPoint(string name)
    {
        if (PointsSaid.TryAdd(name, true)) Say(Point, name);
    }
}
