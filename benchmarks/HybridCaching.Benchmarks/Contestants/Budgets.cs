using System.Numerics;
using System.Runtime.CompilerServices;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks.Contestants;

/// <summary>Turns "10 % of the data" into settings. Key and value of an entry are its data; headers and index are not.</summary>
internal static class Budgets
{
    /// <summary>What contestants are given whatever the number of entries: FASTER's 8 MiB, which a raw store takes, and the library's buffers.</summary>
    private const long FixedBytes = 10 << 20;

    /// <summary>What every FASTER store takes besides index and log: two pages of overflow buckets.</summary>
    private const long StoreFixedBytes = 8 << 20;

    /// <summary>As <see cref="FixedBytes"/>, for the cache of bytes, whose buffers are larger.</summary>
    private const long BytesFixed = 12 << 20;

    private const long IndexBytesPerKey = 16;
    private const long RecordHeaderBytes = 8;
    private const long DiskBytesPerEntry = 50;

    /// <summary>The smallest log of a raw store, and its smallest read cache.</summary>
    private const long LeastLogBytes = 1 << 20;

    /// <summary>From this share on a raw store is better off with a log that holds most of the data than with a read cache beside it.</summary>
    private const double EnoughLog = 0.9;

    /// <summary>The memory budget of the library at a share. Without a disk it has room to spare, so that no entry leaves.</summary>
    public static long Memory(int entries, MemoryShare share, EntrySizes sizes) =>
        FixedBytes + IndexBytesPerKey * entries + (long)((share.IsMemoryOnly ? 2 : share.Ratio) * sizes.Bytes * entries);

    /// <summary>The disk budget of the library: the records, a checkpoint of the index and some room, so that it plans its index for these entries and drops none.</summary>
    public static long Disk(int entries, EntrySizes sizes) => ((DiskBytesPerEntry + sizes.Bytes) * entries + (16 << 20)) & ~((1L << 20) - 1);

    /// <summary>As <see cref="Disk"/>, with room for the older records that overwrites leave behind until their segment is dropped.</summary>
    public static long DiskForOverwrites(int entries, EntrySizes sizes) => 2 * Disk(entries, sizes);

    /// <summary>The memory budget of the cache of bytes at a share.</summary>
    public static long Bytes(ByteEntries entries, MemoryShare share) => BytesFixed + IndexBytesPerKey * entries.Count + (long)(share.Ratio * entries.DataBytes);

    /// <summary>Room to spare in memory for byte entries: no entry leaves.</summary>
    public static long BytesInMemory(ByteEntries entries) => (32 << 20) + 2 * ByteEntryBytes(entries.ValueBytes) * entries.Count;

    /// <summary>Room to spare on the disk for byte entries.</summary>
    public static long BytesOnDisk(ByteEntries entries) => (64 << 20) + ByteEntryBytes(entries.ValueBytes) * entries.Count * 3 / 2;

    /// <summary>About what an entry takes: text key, value, headers and its share of the index.</summary>
    private static long ByteEntryBytes(int valueBytes) => valueBytes + 96;

    /// <summary>A raw store that takes as much memory in all as the library may at that share.</summary>
    public static StoreSettings Store(int entries, MemoryShare share) => share.IsMemoryOnly ? InMemoryStore<Payload>(entries) : StoreWithin(entries, Memory(entries, share, EntrySizes.Usual));

    /// <summary>A raw store that takes so much memory in all.</summary>
    public static StoreSettings StoreWithin(int entries, long memoryBytes)
    {
        long index = IndexBytes(entries);
        return new StoreSettings { IndexBytes = index, LogBytes = Math.Max(LeastLogBytes, memoryBytes - StoreFixedBytes - index) };
    }

    /// <summary>As <see cref="StoreWithin"/>, with FASTER's read cache in about half of the memory for the log where the log holds only some of the data.</summary>
    public static StoreSettings StoreWithReadCache(int entries, long memoryBytes, EntrySizes sizes)
    {
        var settings = StoreWithin(entries, memoryBytes);
        if (settings.LogBytes < 2 * LeastLogBytes || settings.LogBytes >= EnoughLog * sizes.Bytes * entries) return settings;
        long readCache = (long)BitOperations.RoundUpToPowerOf2((ulong)(settings.LogBytes / 2) + 1) / 2;
        return settings with { ReadCacheBytes = readCache, LogBytes = settings.LogBytes - readCache };
    }

    /// <summary>A raw store that keeps all entries in the part of memory where they are updated in place.</summary>
    public static StoreSettings InMemoryStore<TRecord>(int entries) => new()
    {
        IndexBytes = IndexBytes(entries),
        LogBytes = (long)BitOperations.RoundUpToPowerOf2((ulong)((RecordHeaderBytes + sizeof(long) + Unsafe.SizeOf<TRecord>()) * entries * 5 / 4)),
    };

    private static long IndexBytes(int entries) => (long)BitOperations.RoundUpToPowerOf2((ulong)(IndexBytesPerKey * entries));
}
