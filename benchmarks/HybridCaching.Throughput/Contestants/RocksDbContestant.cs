using System.Runtime.InteropServices;
using HybridCaching.Throughput.Native;
using HybridCaching.Throughput.Workloads;

namespace HybridCaching.Throughput.Contestants;

/// <summary>RocksDB, set up as its tuning guide advises for point reads: bloom filters, index and filters inside the block cache, no compression.</summary>
internal sealed unsafe class RocksDbContestant : IContestant
{
    private const int WriteBuffers = 2;
    private const double BloomBitsPerKey = 10;
    private const int BackgroundJobs = 2;
    private const ulong BytesPerSync = 1 << 20;
    private const int FormatVersion = 5;

    private readonly nint _options;
    private readonly nint _tableOptions;
    private readonly nint _cache;
    private readonly nint _database;
    private readonly nint _readOptions = RocksDbImports.CreateReadOptions();
    private readonly nint _writeOptions = RocksDbImports.CreateWriteOptions();

    public RocksDbContestant(Conditions conditions, string directory)
    {
        long writeBuffer = conditions.Memory / 16; // smaller ones, for which there would be more cache, are written again more often; larger ones stand empty where only a few write
        long fileBytes = conditions.Memory / 8;
        long cache = conditions.Memory - (WriteBuffers * writeBuffer) - (conditions.Memory / 16);
        bool isDirect = conditions.PageCache == PageCacheUse.Budgeted;
        _cache = RocksDbImports.CreateCache((nuint)cache);
        _tableOptions = RocksDbImports.CreateTableOptions();
        RocksDbImports.SetBlockCache(_tableOptions, _cache);
        RocksDbImports.SetFilterPolicy(_tableOptions, RocksDbImports.CreateBloomFilter(BloomBitsPerKey)); // belongs to the table options from here on
        RocksDbImports.SetCacheIndexAndFilterBlocks(_tableOptions, 1);
        RocksDbImports.SetIndexAndFilterBlocksHighPriority(_tableOptions, 1);
        RocksDbImports.SetPinFirstLevel(_tableOptions, 1);
        RocksDbImports.SetFormatVersion(_tableOptions, FormatVersion);

        _options = RocksDbImports.CreateOptions();
        RocksDbImports.SetCreateIfMissing(_options, 1);
        RocksDbImports.SetCompression(_options, 0);
        RocksDbImports.SetWriteBufferSize(_options, (nuint)writeBuffer);
        RocksDbImports.SetMaxWriteBufferNumber(_options, WriteBuffers);
        RocksDbImports.SetTargetFileSize(_options, (ulong)fileBytes);
        RocksDbImports.SetMaxBytesForLevelBase(_options, (ulong)fileBytes * 4);
        RocksDbImports.SetMaxBackgroundJobs(_options, BackgroundJobs);
        RocksDbImports.SetDynamicLevelBytes(_options, 1);
        RocksDbImports.SetOptimizeFiltersForHits(_options, 1);
        RocksDbImports.SetBytesPerSync(_options, BytesPerSync);
        RocksDbImports.SetDirectReads(_options, isDirect ? (byte)1 : (byte)0);
        RocksDbImports.SetDirectWrites(_options, isDirect ? (byte)1 : (byte)0);
        RocksDbImports.SetTableOptions(_options, _tableOptions);
        RocksDbImports.DisableWriteAheadLog(_writeOptions, 1);
        _database = RocksDbImports.Open(_options, directory, out nint error);
        ThrowIfAny(error);
        Settings = $"block cache {new ByteSize(cache):H} with index and filters in it, {WriteBuffers} write buffers of {new ByteSize(writeBuffer):H}, bloom filters of {BloomBitsPerKey} bits but for the last level, no write-ahead log (a cache may lose what was not flushed), "
            + $"{BackgroundJobs} background jobs, dynamic level sizes, blocks of 4 KiB, no compression, {(isDirect ? "direct reads, flushes and compactions" : "buffered")}";
    }

    public string Settings { get; }

    public long? MemoryInUse => (long)RocksDbImports.CacheUsage(_cache) + Property("rocksdb.cur-size-all-mem-tables") + Property("rocksdb.estimate-table-readers-mem");

    public IClient NewClient() => new Client(this);

    public void Dispose()
    {
        RocksDbImports.Close(_database);
        RocksDbImports.DestroyReadOptions(_readOptions);
        RocksDbImports.DestroyWriteOptions(_writeOptions);
        RocksDbImports.DestroyOptions(_options);
        RocksDbImports.DestroyTableOptions(_tableOptions);
        RocksDbImports.DestroyCache(_cache);
    }

    private static void ThrowIfAny(nint error)
    {
        if (error == 0) return;
        string text = Marshal.PtrToStringUTF8(error)!;
        RocksDbImports.Free(error);
        throw new InvalidOperationException($"RocksDB: {text}");
    }

    private long Property(string name) => RocksDbImports.Property(_database, name, out ulong value) == 0 ? (long)value : 0;

    private sealed class Client(RocksDbContestant contestant) : IClient
    {
        public int Get(long number, byte[] destination)
        {
            byte* key = stackalloc byte[KeyText.Length];
            KeyText.Write(number, new Span<byte>(key, KeyText.Length));
            nint slice = RocksDbImports.GetPinned(contestant._database, contestant._readOptions, key, KeyText.Length, out nint error);
            ThrowIfAny(error);
            if (slice == 0) return IClient.Missing;
            byte* value = RocksDbImports.PinnedValue(slice, out nuint length);
            new ReadOnlySpan<byte>(value, (int)length).CopyTo(destination);
            RocksDbImports.DestroyPinned(slice);
            return (int)length;
        }

        public void Set(long number, byte[] value)
        {
            byte* key = stackalloc byte[KeyText.Length];
            KeyText.Write(number, new Span<byte>(key, KeyText.Length));
            nint error;
            fixed (byte* bytes = value) RocksDbImports.Put(contestant._database, contestant._writeOptions, key, KeyText.Length, bytes, (nuint)value.Length, out error);
            ThrowIfAny(error);
        }

        public int Scan(long number, int count, byte[] destination)
        {
            byte* key = stackalloc byte[KeyText.Length];
            KeyText.Write(number, new Span<byte>(key, KeyText.Length));
            nint iterator = RocksDbImports.CreateIterator(contestant._database, contestant._readOptions);
            int found = 0;
            for (RocksDbImports.Seek(iterator, key, KeyText.Length); found < count && RocksDbImports.IsValid(iterator) != 0; RocksDbImports.Next(iterator), found++)
            {
                byte* value = RocksDbImports.Value(iterator, out nuint length);
                new ReadOnlySpan<byte>(value, (int)length).CopyTo(destination);
            }

            RocksDbImports.IteratorError(iterator, out nint error);
            RocksDbImports.DestroyIterator(iterator);
            ThrowIfAny(error);
            return found;
        }

        public void Dispose()
        {
        }
    }
}
