using System.Runtime.InteropServices;

namespace HybridCaching.Records;

/// <summary>What is stored under the key of a value that is too large for one record: where its pieces are. Each piece is a record of its own, with a check of its own.</summary>
/// <param name="Id">Belongs to this value alone, so that no piece of an older one is ever taken for one of it.</param>
/// <param name="Length">Bytes of the whole value.</param>
/// <param name="ChunkBytes">Bytes of a piece: of all but the last, and the last before the head ends.</param>
/// <param name="HeadBytes">So much of the value was cut apart for itself: what was to fill the page that was begun.</param>
[StructLayout(LayoutKind.Sequential, Pack = sizeof(int))]
internal readonly record struct ChunkList(ulong Id, int Length, int ChunkBytes, int HeadBytes)
{
    public const int Bytes = 20;

    /// <summary>Stands for this value as a hash stands for a key: all its pieces are told by it.</summary>
    public ulong Owner => OwnerOf(Id);

    public int Count => HeadCount + PiecesOf(Length - Head);

    private int Head => Math.Min(HeadBytes, Length);

    private int HeadCount => PiecesOf(Head);

    /// <summary>The <see cref="Owner"/> of a value with this id. Ids follow one another, so their bits are mixed (the finalizer of MurmurHash3).</summary>
    public static ulong OwnerOf(ulong id)
    {
        id = (id ^ (id >> 33)) * 0xFF51_AFD7_ED55_8CCD;
        id = (id ^ (id >> 33)) * 0xC4CE_B9FE_1A85_EC53;
        return id ^ (id >> 33);
    }

    /// <summary>Reads what stands behind a header.</summary>
    public static bool TryParse(ReadOnlySpan<byte> bytes, out ChunkList list) =>
        MemoryMarshal.TryRead(bytes, out list) && bytes.Length == Bytes && list.Length > 0 && list.ChunkBytes > 0 && list.HeadBytes >= 0;

    /// <summary>Where in the value a piece lies.</summary>
    public (int Offset, int Length) Range(int chunk)
    {
        bool isInHead = chunk < HeadCount;
        int offset = isInHead ? chunk * ChunkBytes : Head + ((chunk - HeadCount) * ChunkBytes);
        return (offset, Math.Min(ChunkBytes, (isInHead ? Head : Length) - offset));
    }

    private int PiecesOf(int bytes) => (int)(((long)bytes + ChunkBytes - 1) / ChunkBytes);
}
