using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
using HybridCaching.Records;
using HybridCaching.Store;

namespace HybridCaching.Tiering;

/// <summary>How far a read of the bytes cache has come, and what it has found.</summary>
internal struct BytesRead(ValueBuffer buffer, bool isQuiet = false)
{
    /// <summary>Where the value goes.</summary>
    public ValueBuffer Buffer = buffer;

    /// <summary>What was found beside the value.</summary>
    public FoundValue Found;

    public BytesReadState State;

    /// <summary>Whether it was found on the disk, or a piece of it.</summary>
    public bool IsFromDisk;

    /// <summary>Whether it was found in the log's memory, or a piece of it.</summary>
    public bool IsFromLog;

    /// <summary>The row's word from before the log was asked.</summary>
    public ulong Seen;

    /// <summary>Stands for where the disk was asked, see <see cref="TracksOrigin"/>; 0 if it was not.</summary>
    public ulong Origin;

    /// <summary>Whether <see cref="Origin"/> is wanted, which takes another look at the index.</summary>
    public bool TracksOrigin;

    /// <summary>Where on the disk to go on.</summary>
    public DiskTrail Trail;

    /// <summary>Not counted as a read, and prolongs nothing.</summary>
    public readonly bool IsQuiet => isQuiet;

    public readonly bool IsHit => State == BytesReadState.Hit;

    /// <summary>Bytes of the value that was found.</summary>
    public readonly int Length => Found.IsInChunks ? Found.Chunks.Length : Buffer.Length;

    /// <summary>The value as it is stored under its key: the bytes, or the list of its pieces.</summary>
    [UnscopedRef]
    public readonly ReadOnlySpan<byte> Stored => Found.IsInChunks ? MemoryMarshal.AsBytes(new ReadOnlySpan<ChunkList>(in Found.Chunks)) : Buffer.Value;

    /// <summary>Whether <see cref="Stored"/> is there.</summary>
    public readonly bool HasStored => Found.IsInChunks || Buffer.IsFilled;
}
