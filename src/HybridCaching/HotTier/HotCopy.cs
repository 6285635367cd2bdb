namespace HybridCaching.HotTier;

/// <summary>A copy that was found in the hot tier: where it is, and what is known of it. It may be gone at any moment.</summary>
internal readonly unsafe struct HotCopy(HotRow* row, int way, ulong seen, ulong reference, byte* start, int keyBytes, int length, long deadline, bool isSliding, bool isInChunks)
{
    public HotRow* Row => row;

    public int Way => way;

    /// <summary>The row's word when the copy was found.</summary>
    public ulong Seen => seen;

    public ulong Reference => reference;

    public byte* Start => start;

    public int KeyBytes => keyBytes;

    /// <summary>Bytes of what is stored: the value, or the list of its pieces.</summary>
    public int Length => length;

    /// <summary>When it expires, in UTC ticks; 0 for never.</summary>
    public long Deadline => deadline;

    public bool IsSliding => isSliding;

    public bool IsInChunks => isInChunks;
}
