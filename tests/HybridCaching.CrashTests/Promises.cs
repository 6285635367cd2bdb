namespace HybridCaching.CrashTests;

/// <summary>What the cache promises by now.</summary>
internal static class Promises
{
    /// <summary>Whether entries older than the last checkpoint are there after <c>kill -9</c>: where the system has memory that outlives a process. Elsewhere such a start is cold, unless the cache rested with a checkpoint.</summary>
    public static bool IsWarmAfterKill => OperatingSystem.IsLinux();

    /// <summary>Of these entries, the share that has to be there.</summary>
    public const double WarmShare = 0.99;

    /// <summary>How long a start may take, whatever the files are like: five seconds where the machine has nothing else to do.</summary>
    public static readonly TimeSpan LongestStart = TimeSpan.FromSeconds(Amount.Of(60, 5));
}
