namespace HybridCaching.Configuration;

/// <summary>How large a table of the index of settled records is. Keys find their bucket by what it was made with, so it is told apart from what it was halved to since.</summary>
/// <param name="Buckets">With how many buckets it was made.</param>
/// <param name="Halvings">How often two neighbouring buckets have become one since.</param>
internal readonly record struct TableSize(long Buckets, int Halvings)
{
    /// <summary>One cache line.</summary>
    public const int BucketBytes = 64;

    /// <summary>The size of a table of about so many bytes, which is at least one bucket.</summary>
    public static TableSize Of(long bytes) => new(Math.Max(1, bytes / BucketBytes), 0);

    /// <summary>How many buckets it has now.</summary>
    public long BucketsNow => ((Buckets - 1) >> Halvings) + 1;

    public long Bytes => BucketsNow * BucketBytes;

    /// <summary>Whether there can be such a table.</summary>
    public bool IsPossible => Buckets is > 0 and <= 1L << 40 && Halvings is >= 0 and < 40;

    /// <summary>Half of it, unless it is one bucket.</summary>
    public TableSize Halved() => BucketsNow > 1 ? this with { Halvings = Halvings + 1 } : this;
}
