using System.Runtime.CompilerServices;

namespace HybridCaching.Store;

/// <summary>Turns keys into what the log stores.</summary>
internal static class StoredKey
{
    /// <summary>The key's bytes, filled up with zeros.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static TStored Of<TKey, TStored>(in TKey key)
        where TKey : unmanaged
        where TStored : unmanaged
    {
        TStored stored = default;
        Unsafe.WriteUnaligned(ref Unsafe.As<TStored, byte>(ref stored), key);
        return stored;
    }

    /// <summary>Bytes a key of so many bytes takes in a record.</summary>
    public static int SizeOf(int keyBytes) => (keyBytes & 7) == 0 ? keyBytes : keyBytes switch
    {
        < 8 => 8,
        < 16 => 16,
        < 24 => 24,
        < 32 => 32,
        < 64 => 64,
        < 128 => 128,
        < 256 => 256,
        _ => throw new ArgumentException($"A key of {keyBytes} bytes is larger than 256 bytes and no multiple of 8. Add fields that fill it up to a multiple of 8."),
    };
}
