using System.Runtime.InteropServices;
using FASTER.core;
using HybridCaching.Records;

namespace HybridCaching.Store;

/// <summary>A record of the bytes log as it lies in a page, in memory or on the disk. Takes apart whatever is there and never looks beyond it.</summary>
/// <remarks>
/// <code>
///  0        8        12                    + 4
/// ┌────────┬────────┬─────────┬───────────┬────────┬───────────────────────┬───────────
/// │ FASTER │ length │ key ... │ up to 8 n │ length │ ValueHeader, value ... │ up to 8 n
/// └────────┴────────┴─────────┴───────────┴────────┴───────────────────────┴───────────
/// </code>
/// </remarks>
internal readonly ref struct BytesRecord
{
    /// <summary>The shortest: the key "", marked as removed.</summary>
    public const int SmallestBytes = 24;

    private const int InfoBytes = 8;
    private const int LengthBytes = sizeof(int);
    private const int KeyOffset = InfoBytes + LengthBytes;
    private const int MaximumPayloadBytes = 1 << 20;

    private BytesRecord(ReadOnlySpan<byte> from, int keyBytes, int payloadOffset, int payloadBytes)
    {
        Info = MemoryMarshal.Read<RecordInfo>(from);
        Key = from.Slice(KeyOffset, keyBytes);
        Payload = from.Slice(payloadOffset, payloadBytes);
        All = from[..BytesFor(keyBytes, payloadBytes)];
    }

    /// <summary>The whole record.</summary>
    public ReadOnlySpan<byte> All { get; }

    public RecordInfo Info { get; }

    /// <summary>The key, encoded.</summary>
    public ReadOnlySpan<byte> Key { get; }

    /// <summary>Header and value; empty where a key was removed.</summary>
    public ReadOnlySpan<byte> Payload { get; }

    /// <summary>Bytes of the whole record.</summary>
    public int Bytes => All.Length;

    /// <summary>Bytes of a record.</summary>
    public static int BytesFor(int keyBytes, int payloadBytes) => PayloadOffset(keyBytes) - LengthBytes + Align(LengthBytes + payloadBytes);

    /// <summary>Where in a record the header of the value is.</summary>
    public static int PayloadOffset(int keyBytes) => InfoBytes + Align(LengthBytes + keyBytes) + LengthBytes;

    /// <summary>Whether records with payloads of these sizes take the same place.</summary>
    public static bool IsSameSize(int payloadBytes, int otherPayloadBytes) => Align(LengthBytes + payloadBytes) == Align(LengthBytes + otherPayloadBytes);

    /// <summary>How many bytes must be there to take the record at their beginning apart, as far as they tell; 0 if there is none.</summary>
    public static int BytesNeeded(ReadOnlySpan<byte> from)
    {
        if (from.Length < KeyOffset) return SmallestBytes;
        if (!MemoryMarshal.Read<RecordInfo>(from).Valid) return 0;
        int keyBytes = MemoryMarshal.Read<int>(from[InfoBytes..]);
        if (keyBytes < 1 || keyBytes > KeyText.MaximumBytes(KeyText.MaximumLength)) return 0;
        int payloadOffset = PayloadOffset(keyBytes);
        if (from.Length < payloadOffset) return payloadOffset;
        int payloadBytes = MemoryMarshal.Read<int>(from[(payloadOffset - LengthBytes)..]);
        return payloadBytes is < 0 or > MaximumPayloadBytes ? 0 : BytesFor(keyBytes, payloadBytes);
    }

    /// <summary>How many bytes hold no record, where none begins; 0 if what is there makes no sense.</summary>
    /// <remarks>
    /// Zeros follow the last record of a page. FASTER also leaves zeros, or its own note of how many bytes they are, where it has given a place up before it wrote there: when what it meant to replace left memory
    /// in that moment (BlockAllocate.cs, SaveAllocationForRetry).
    /// </remarks>
    public static int Gap(ReadOnlySpan<byte> from)
    {
        if (from.Length < SmallestBytes) return from.Length;
        if (MemoryMarshal.Read<RecordInfo>(from).Valid) return 0;
        int abandoned = MemoryMarshal.Read<int>(from[InfoBytes..]);
        if (abandoned >= SmallestBytes && Align(abandoned) == abandoned && abandoned <= MaximumPayloadBytes) return abandoned;
        if (MemoryMarshal.Read<ulong>(from) != 0) return 0;
        int zeros = from.IndexOfAnyExcept((byte)0);
        return zeros < 0 ? from.Length : zeros / sizeof(ulong) * sizeof(ulong);
    }

    /// <summary>Takes the record at the beginning of these bytes apart.</summary>
    /// <returns>False if there is none, or not all of it.</returns>
    public static bool TryRead(ReadOnlySpan<byte> from, out BytesRecord record)
    {
        record = default;
        int bytes = BytesNeeded(from);
        if (bytes == 0 || bytes > from.Length) return false;
        int keyBytes = MemoryMarshal.Read<int>(from[InfoBytes..]);
        int payloadOffset = PayloadOffset(keyBytes);
        if (payloadOffset > from.Length) return false;
        int payloadBytes = MemoryMarshal.Read<int>(from[(payloadOffset - LengthBytes)..]);
        if (payloadBytes < 0 || payloadBytes > from.Length - payloadOffset) return false; // overwritten this moment
        record = new BytesRecord(from, keyBytes, payloadOffset, payloadBytes);
        return true;
    }

    private static int Align(int bytes) => (bytes + 7) & ~7;
}
