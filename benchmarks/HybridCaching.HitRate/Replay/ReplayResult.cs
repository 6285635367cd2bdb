namespace HybridCaching.HitRate.Replay;

/// <summary>What came of a replay.</summary>
internal sealed record ReplayResult
{
    /// <summary>What the cache says of itself at the end.</summary>
    public required CacheStatistics Statistics { get; init; }

    /// <summary>Key and value bytes of all entries that were set.</summary>
    public required long SetBytes { get; init; }

    /// <summary>What an empty cache of these budgets takes.</summary>
    public required long FixedBytes { get; init; }

    /// <summary>What its log takes at least, whatever the budget.</summary>
    public required long SmallestLogBytes { get; init; }

    /// <summary>The most memory that it said it had, of some 200 looks.</summary>
    public required long MostMemory { get; init; }

    /// <summary>What of its memory was copies of entries that are read often, at the end.</summary>
    public required long HotTier { get; init; }

    /// <summary>The most that its folder took, of some 200 looks: blocks, or lengths of files where these are more.</summary>
    public required long MostDisk { get; init; }

    public required TimeSpan Elapsed { get; init; }

    /// <summary>Entries written to the disk, rewritten ones included, from the bytes written: what is written around entries counts, too.</summary>
    public double DiskObjects => SetBytes == 0 ? 0 : Statistics.DiskWrittenBytes / (SetBytes / (double)Statistics.Writes);

    /// <summary>What went wrong beside misses; empty if nothing.</summary>
    public string Trouble
    {
        get
        {
            (string Name, long Count)[] counts =
            [
                ("timeouts", Statistics.Timeouts),
                ("dropped writes", Statistics.DroppedWrites),
                ("corrupt entries", Statistics.CorruptEntries),
                ("failed disk reads", Statistics.DiskReadErrors),
                ("failed disk writes", Statistics.DiskWriteErrors),
            ];
            return string.Join(", ", counts.Where(count => count.Count > 0).Select(count => FormattableString.Invariant($"{count.Count:N0} {count.Name}")));
        }
    }
}
