namespace HybridCaching.CrashTests;

/// <summary>What the cache promises by now.</summary>
internal static class Promises
{
    /// <summary>Whether entries older than the last checkpoint are there after <c>kill -9</c>. Until that is built a start after a kill is cold, unless the cache rested with a checkpoint.</summary>
    public const bool IsWarmAfterKill = false;

    /// <summary>Of these entries, the share that has to be there.</summary>
    public const double WarmShare = 0.99;

    /// <summary>How long a start may take, whatever the files are like.</summary>
    public static readonly TimeSpan LongestStart = TimeSpan.FromSeconds(5);
}
