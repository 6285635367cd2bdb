using System.Text.Json.Serialization;
using HybridCaching.Configuration;

namespace HybridCaching.Recovery;

/// <summary>What a checkpoint consists of, and for whom it may be opened again. Without a manifest there is no checkpoint.</summary>
internal sealed record Manifest
{
    /// <summary>The version of the files' format. Another one is not read.</summary>
    public const int CurrentFormat = 6;

    private const int NumbersPerTable = 3;

    public int Format { get; init; } = CurrentFormat;

    /// <summary>A fingerprint of the fields of key and value.</summary>
    public required string Fingerprint { get; init; }

    public required int SchemaVersion { get; init; }

    /// <summary>The secret of the key hash, which decides where an entry lies in the index.</summary>
    public required ulong[] HashSecret { get; init; }

    public required long IndexBytes { get; init; }

    public required int PageBytes { get; init; }

    public required long SegmentBytes { get; init; }

    public required int RecordBytes { get; init; }

    public required Guid Token { get; init; }

    public required byte[] IndexMetadata { get; init; }

    public required byte[] LogMetadata { get; init; }

    /// <summary>How long the file of the index is.</summary>
    public required long IndexFileBytes { get; init; }

    /// <summary>The checksum of the file with the checksums of all blocks, which vouch for everything else.</summary>
    public required uint ChecksumsCrc { get; init; }

    public required long BeginAddress { get; init; }

    public required long TailAddress { get; init; }

    /// <summary>Records below this address were cleared.</summary>
    public required long ClearedBelow { get; init; }

    public required long EstimatedCount { get; init; }

    /// <summary>Bytes of the index of settled records; 0 if there is none.</summary>
    public required long SettledIndexBytes { get; init; }

    /// <summary>Its tables: for each the buckets of a group, how many groups there may be, and how many there are.</summary>
    public long[] SettledTables { get; init; } = [];

    /// <summary>Bits of an address there.</summary>
    public int AddressBits { get; init; }

    /// <summary>How many groups each of its tables has.</summary>
    [JsonIgnore]
    public int[] SettledGroups => [.. SettledTables.Chunk(NumbersPerTable).Select(static t => (int)t[2])];

    /// <summary>Whether there can be such tables.</summary>
    [JsonIgnore]
    public bool AreTablesPossible =>
        SettledTables.Length % NumbersPerTable == 0 && SettledTables.Chunk(NumbersPerTable).All(static t => new TableSize(t[0], (int)Math.Clamp(t[1], 0, int.MaxValue)).IsPossible && t[2] > 0 && t[2] <= t[1]);

    /// <summary>Whether addresses can tell all that there would be of both logs apart.</summary>
    [JsonIgnore]
    public bool AreExtentsPossible => Math.Min(ProbationBegin, MainBegin) >= 0 && Math.Max(ProbationTail - ProbationBegin, MainTail - MainBegin) <= (long)SettledSizing.AddressUnit << Math.Clamp(AddressBits, 0, SettledSizing.MostAddressBits);

    /// <summary>The memory budget when this was written; 0 if it is not known.</summary>
    public long MemoryBudget { get; init; }

    /// <summary>The disk budget when this was written.</summary>
    public long DiskBudget { get; init; }

    /// <summary>The latest moment that the cache has known, in ticks of UTC; 0 if that is not known.</summary>
    public long LatestTicks { get; init; }

    /// <summary>The checksum of its file.</summary>
    public required uint SettledIndexCrc { get; init; }

    /// <summary>Where the segments begin that the log has let go.</summary>
    public required long ProbationBegin { get; init; }

    /// <summary>Where they end.</summary>
    public required long ProbationTail { get; init; }

    /// <summary>Where the main log begins.</summary>
    public required long MainBegin { get; init; }

    /// <summary>Where it ends.</summary>
    public required long MainTail { get; init; }

    /// <summary>The name of the state that leads to the records; none in the manifest of a checkpoint, which says it all itself.</summary>
    public Guid LiveState { get; init; }

    /// <summary>What a cache that opens these files cannot choose.</summary>
    [JsonIgnore]
    public FixedSizes Sizes => new()
    {
        IndexBytes = IndexBytes,
        PageBytes = PageBytes,
        SegmentBytes = SegmentBytes,
        SettledTables = [.. SettledTables.Chunk(NumbersPerTable).Select(static t => new TableSize(t[0], (int)t[1]))],
        AddressBits = AddressBits,
        OverflowBytes = IndexSizing.OverflowBytesOf((IndexFileBytes - IndexBytes) / IndexSizing.BucketBytes),
        IndexFileBytes = IndexFileBytes,
    };

    /// <summary>Entries that do not leave, in the bytes cache.</summary>
    public byte[] Pinned { get; init; } = [];
}
