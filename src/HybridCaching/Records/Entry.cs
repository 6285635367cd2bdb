using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace HybridCaching.Records;

/// <summary>What the log stores under a key: a header of 8 bytes and the value. See <see cref="EntryHeader"/> for the bits.</summary>
/// <remarks>
/// The <see cref="ulong"/> makes the size a multiple of 8, so that every record of the log starts aligned.
/// Entries are copied as bytes: the check covers the padding of a value too, which an ordinary struct copy may leave out.
/// </remarks>
[StructLayout(LayoutKind.Sequential)]
internal struct Entry<TValue>
    where TValue : unmanaged
{
    public ulong Header;
    public TValue Value;

    /// <summary>Copies every byte, padding included.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Copy(ref readonly Entry<TValue> source, ref Entry<TValue> destination) =>
        Unsafe.CopyBlockUnaligned(
            ref Unsafe.As<Entry<TValue>, byte>(ref destination),
            ref Unsafe.As<Entry<TValue>, byte>(ref Unsafe.AsRef(in source)),
            (uint)Unsafe.SizeOf<Entry<TValue>>());
}
