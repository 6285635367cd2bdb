namespace HybridCaching.Configuration;

/// <summary>How large a table of the index of settled records may become. It consists of groups of as many buckets each, and begins with one: keys find their bucket in a group by how many there are in each, which never changes.</summary>
/// <param name="Columns">Buckets of a group.</param>
/// <param name="Groups">How many groups there may be.</param>
internal readonly record struct TableSize(long Columns, int Groups)
{
    /// <summary>One cache line.</summary>
    public const int BucketBytes = 64;

    /// <summary>No table has more groups: each doubling costs a bit of what tells keys apart.</summary>
    public const int MostGroups = 16;

    /// <summary>A table that may become about so large, which is at least one bucket in each group.</summary>
    public static TableSize Of(long bytes) => new(Math.Max(1, bytes / (MostGroups * BucketBytes)), MostGroups);

    /// <summary>Bytes of a group.</summary>
    public long GroupBytes => Columns * BucketBytes;

    public long Bytes => Groups * GroupBytes;

    /// <summary>Bytes of addresses that are kept for it: its budgets may grow again.</summary>
    public long ReservedBytes => MostGroups * GroupBytes;

    /// <summary>Whether there can be such a table.</summary>
    public bool IsPossible => Columns is > 0 and <= 1L << 40 && Groups is > 0 and <= MostGroups;
}
