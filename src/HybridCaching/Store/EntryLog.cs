using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using FASTER.core;
using HybridCaching.Configuration;
using HybridCaching.Devices;
using HybridCaching.Records;

namespace HybridCaching.Store;

/// <summary>Logs of entries of one size: those of the typed cache.</summary>
internal static class EntryLog<TKey, TValue>
    where TKey : unmanaged
    where TValue : unmanaged
{
    private const int RecordHeaderBytes = 8;

    /// <summary>Bytes of one record: FASTER's header, the key, the entry.</summary>
    public static int RecordBytes =>
        RecordHeaderBytes + StoredKey.SizeOf(Unsafe.SizeOf<TKey>()) + Unsafe.SizeOf<Entry<TValue>>();

    /// <summary>Where the record behind an address lies: records follow one another, but none lies across two pages.</summary>
    public static long NextRecord(long address, int pageBytes)
    {
        long next = address + RecordBytes;
        long inPage = next & (pageBytes - 1);
        return inPage + RecordBytes <= pageBytes ? next : next - inPage + pageBytes;
    }

    /// <summary>Where the next record may begin in the main log, if there is none at an address: what was written together ends with a block.</summary>
    public static long NextBlock(long address) => (address / MemoryPlan.BlockBytes * MemoryPlan.BlockBytes) + MemoryPlan.BlockBytes;

    /// <summary>The key of a record.</summary>
    public static TKey KeyOf(ReadOnlySpan<byte> record) => MemoryMarshal.Read<TKey>(record[RecordHeaderBytes..]);

    /// <summary>Opens an empty log.</summary>
    /// <param name="plan">Its sizes.</param>
    /// <param name="hasher">The hash of its keys.</param>
    /// <param name="device">Where it is written; null for a log in memory only.</param>
    /// <param name="checkpoints">Where checkpoints go; null for none.</param>
    /// <param name="concurrency">How readers are kept from half-written values.</param>
    public static SessionLog<EntrySession<TKey, TValue>, EntryReader<TKey, TValue>> Open(MemoryPlan plan, KeyHasher hasher, LogDevice? device, ICheckpointManager? checkpoints, LogConcurrency concurrency = LogConcurrency.InPlaceLatched)
    {
        int keyBytes = Unsafe.SizeOf<TKey>();
        if ((keyBytes & 7) == 0) return New<TKey>();
        return StoredKey.SizeOf(keyBytes) switch
        {
            8 => New<PaddedKeys.Key8>(),
            16 => New<PaddedKeys.Key16>(),
            24 => New<PaddedKeys.Key24>(),
            32 => New<PaddedKeys.Key32>(),
            64 => New<PaddedKeys.Key64>(),
            128 => New<PaddedKeys.Key128>(),
            _ => New<PaddedKeys.Key256>(),
        };

        SessionLog<EntrySession<TKey, TValue>, EntryReader<TKey, TValue>> New<TStored>()
            where TStored : unmanaged => new FasterEntryLog<TKey, TStored, TValue>(plan, hasher, device, checkpoints, concurrency);
    }
}
