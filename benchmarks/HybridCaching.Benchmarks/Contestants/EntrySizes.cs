using System.Runtime.CompilerServices;

namespace HybridCaching.Benchmarks.Contestants;

/// <summary>Bytes of key and value, which are the data of an entry. Headers and index are not.</summary>
internal readonly record struct EntrySizes(int KeyBytes, int ValueBytes)
{
    /// <summary>What most suites store: 32 bytes by number.</summary>
    public static readonly EntrySizes Usual = new(sizeof(long), 32);

    public int Bytes => KeyBytes + ValueBytes;

    public static EntrySizes Of<TKey, TRecord>()
        where TKey : unmanaged
        where TRecord : unmanaged => new(Unsafe.SizeOf<TKey>(), Unsafe.SizeOf<TRecord>());
}
