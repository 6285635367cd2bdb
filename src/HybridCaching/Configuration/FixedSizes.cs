using System.Collections.Immutable;
using System.Numerics;

namespace HybridCaching.Configuration;

/// <summary>What stays as it is when the budgets of a cache change: its files and the tables in its memory are made of it.</summary>
internal sealed record FixedSizes
{
    public required long IndexBytes { get; init; }

    public required int PageBytes { get; init; }

    public required long SegmentBytes { get; init; }

    /// <summary>The tables of the index of settled records; none if nothing that FASTER's log has let go is kept. While the cache is open they may become smaller, and one may be added.</summary>
    public required ImmutableArray<TableSize> SettledTables { get; init; }

    /// <summary>Bits of an address there.</summary>
    public required int AddressBits { get; init; }

    /// <summary>Whether these are the sizes of files, and not of a cache that is open: what is in memory only may then be chosen.</summary>
    public bool AreOfFiles => HotRows == 0;

    /// <summary>Rows of the hot tier; 0 if the cache is not open.</summary>
    public int HotRows { get; init; }

    /// <summary>Slots of the ring of pages; 0 if the cache is not open.</summary>
    public int RingPages { get; init; }

    /// <summary>What the overflow buckets of the index have taken already, and never give back.</summary>
    public long OverflowBytes { get; init; }

    /// <summary>What the checksums of blocks have taken already, and never give back.</summary>
    public long ChecksumBytes { get; init; }

    /// <summary>The same of notes.</summary>
    public long NoteBytes { get; init; }

    /// <summary>What a checkpoint of the index takes at least.</summary>
    public long IndexFileBytes { get; init; }

    /// <summary>Whether there can be a cache of such sizes. They may come from a file.</summary>
    public bool ArePossible =>
        IndexBytes is >= IndexSizing.MinimumBytes and <= IndexSizing.MaximumBytes && BitOperations.IsPow2(IndexBytes)
        && PageBytes is >= MemoryPlan.BlockBytes and <= 1 << 28 && BitOperations.IsPow2(PageBytes)
        && SegmentBytes >= PageBytes && SegmentBytes <= 1L << 30 && BitOperations.IsPow2(SegmentBytes)
        && SettledSizing.ArePossible(AddressBits) && SettledTables.Length <= SettledSizing.MostTables && SettledTables.All(t => t.IsPossible);
}
