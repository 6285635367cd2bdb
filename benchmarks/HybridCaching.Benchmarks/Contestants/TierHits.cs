namespace HybridCaching.Benchmarks.Contestants;

/// <summary>How many reads were answered by memory, by the disk, and not at all.</summary>
internal readonly record struct TierHits(long Memory, long Disk, long Missed)
{
    public static TierHits operator +(TierHits left, TierHits right) => new(left.Memory + right.Memory, left.Disk + right.Disk, left.Missed + right.Missed);

    public static TierHits operator -(TierHits left, TierHits right) => new(left.Memory - right.Memory, left.Disk - right.Disk, left.Missed - right.Missed);
}
