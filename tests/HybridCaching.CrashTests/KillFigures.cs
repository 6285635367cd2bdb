namespace HybridCaching.CrashTests;

/// <summary>What came of some kills.</summary>
internal sealed class KillFigures
{
    public int Kills { get; set; }

    public int Starts { get; set; }

    public int WarmStarts { get; set; }

    public long SlowestStart { get; set; }

    /// <summary>Values that were found after a start, and judged.</summary>
    public long Judged { get; set; }

    /// <summary>Entries of the last checkpoint that a start after a kill should find, and those that it found.</summary>
    public long Expected { get; set; }

    public long ExpectedHits { get; set; }

    /// <summary>What is known of each start that found less of them than it should.</summary>
    public List<string> Losses { get; } = [];

    /// <summary>The points at which a process was killed, and how often.</summary>
    public SortedDictionary<string, int> Points { get; } = new(StringComparer.Ordinal);

    /// <summary>The points that any process came by.</summary>
    public SortedSet<string> Reached { get; } = new(StringComparer.Ordinal);

    public string FoundText => $"{ExpectedHits:N0} of {Expected:N0} ({(double)ExpectedHits / Expected:P1})";

    public override string ToString() =>
        $"{Kills} kills, {Points.Values.Sum()} of them at {Points.Count} named points; {Starts} starts, {WarmStarts} of them warm, none failed, the slowest took {SlowestStart} ms; {Judged:N0} values judged, 0 wrong, stale, phantom or expired";
}
