using System.Runtime.InteropServices;

namespace HybridCaching.Throughput.Native;

/// <summary>The functions of RocksDB's C interface that are used here, under their own names without the prefix.</summary>
internal static unsafe partial class RocksDbImports
{
    public const string Library = "rocksdb";

    [LibraryImport(Library, EntryPoint = "rocksdb_options_create")]
    public static partial nint CreateOptions();

    [LibraryImport(Library, EntryPoint = "rocksdb_options_destroy")]
    public static partial void DestroyOptions(nint options);

    [LibraryImport(Library, EntryPoint = "rocksdb_options_set_create_if_missing")]
    public static partial void SetCreateIfMissing(nint options, byte value);

    [LibraryImport(Library, EntryPoint = "rocksdb_options_set_compression")]
    public static partial void SetCompression(nint options, int kind);

    [LibraryImport(Library, EntryPoint = "rocksdb_options_set_write_buffer_size")]
    public static partial void SetWriteBufferSize(nint options, nuint bytes);

    [LibraryImport(Library, EntryPoint = "rocksdb_options_set_max_write_buffer_number")]
    public static partial void SetMaxWriteBufferNumber(nint options, int count);

    [LibraryImport(Library, EntryPoint = "rocksdb_options_set_max_background_jobs")]
    public static partial void SetMaxBackgroundJobs(nint options, int count);

    [LibraryImport(Library, EntryPoint = "rocksdb_options_set_optimize_filters_for_hits")]
    public static partial void SetOptimizeFiltersForHits(nint options, int value);

    [LibraryImport(Library, EntryPoint = "rocksdb_options_set_level_compaction_dynamic_level_bytes")]
    public static partial void SetDynamicLevelBytes(nint options, byte value);

    [LibraryImport(Library, EntryPoint = "rocksdb_options_set_bytes_per_sync")]
    public static partial void SetBytesPerSync(nint options, ulong bytes);

    [LibraryImport(Library, EntryPoint = "rocksdb_options_set_use_direct_reads")]
    public static partial void SetDirectReads(nint options, byte value);

    [LibraryImport(Library, EntryPoint = "rocksdb_options_set_use_direct_io_for_flush_and_compaction")]
    public static partial void SetDirectWrites(nint options, byte value);

    [LibraryImport(Library, EntryPoint = "rocksdb_options_set_target_file_size_base")]
    public static partial void SetTargetFileSize(nint options, ulong bytes);

    [LibraryImport(Library, EntryPoint = "rocksdb_options_set_max_bytes_for_level_base")]
    public static partial void SetMaxBytesForLevelBase(nint options, ulong bytes);

    [LibraryImport(Library, EntryPoint = "rocksdb_options_set_block_based_table_factory")]
    public static partial void SetTableOptions(nint options, nint tableOptions);

    [LibraryImport(Library, EntryPoint = "rocksdb_block_based_options_create")]
    public static partial nint CreateTableOptions();

    [LibraryImport(Library, EntryPoint = "rocksdb_block_based_options_destroy")]
    public static partial void DestroyTableOptions(nint options);

    [LibraryImport(Library, EntryPoint = "rocksdb_block_based_options_set_block_cache")]
    public static partial void SetBlockCache(nint tableOptions, nint cache);

    [LibraryImport(Library, EntryPoint = "rocksdb_block_based_options_set_filter_policy")]
    public static partial void SetFilterPolicy(nint tableOptions, nint policy);

    [LibraryImport(Library, EntryPoint = "rocksdb_block_based_options_set_cache_index_and_filter_blocks")]
    public static partial void SetCacheIndexAndFilterBlocks(nint tableOptions, byte value);

    [LibraryImport(Library, EntryPoint = "rocksdb_block_based_options_set_cache_index_and_filter_blocks_with_high_priority")]
    public static partial void SetIndexAndFilterBlocksHighPriority(nint tableOptions, byte value);

    [LibraryImport(Library, EntryPoint = "rocksdb_block_based_options_set_pin_l0_filter_and_index_blocks_in_cache")]
    public static partial void SetPinFirstLevel(nint tableOptions, byte value);

    [LibraryImport(Library, EntryPoint = "rocksdb_block_based_options_set_format_version")]
    public static partial void SetFormatVersion(nint tableOptions, int version);

    [LibraryImport(Library, EntryPoint = "rocksdb_filterpolicy_create_bloom_full")]
    public static partial nint CreateBloomFilter(double bitsPerKey);

    [LibraryImport(Library, EntryPoint = "rocksdb_cache_create_lru")]
    public static partial nint CreateCache(nuint bytes);

    [LibraryImport(Library, EntryPoint = "rocksdb_cache_destroy")]
    public static partial void DestroyCache(nint cache);

    [LibraryImport(Library, EntryPoint = "rocksdb_cache_get_usage")]
    public static partial nuint CacheUsage(nint cache);

    [LibraryImport(Library, EntryPoint = "rocksdb_open", StringMarshalling = StringMarshalling.Utf8)]
    public static partial nint Open(nint options, string path, out nint error);

    [LibraryImport(Library, EntryPoint = "rocksdb_close")]
    public static partial void Close(nint database);

    [LibraryImport(Library, EntryPoint = "rocksdb_property_int", StringMarshalling = StringMarshalling.Utf8)]
    public static partial int Property(nint database, string name, out ulong value);

    [LibraryImport(Library, EntryPoint = "rocksdb_writeoptions_create")]
    public static partial nint CreateWriteOptions();

    [LibraryImport(Library, EntryPoint = "rocksdb_writeoptions_destroy")]
    public static partial void DestroyWriteOptions(nint options);

    [LibraryImport(Library, EntryPoint = "rocksdb_writeoptions_disable_WAL")]
    public static partial void DisableWriteAheadLog(nint options, int value);

    [LibraryImport(Library, EntryPoint = "rocksdb_readoptions_create")]
    public static partial nint CreateReadOptions();

    [LibraryImport(Library, EntryPoint = "rocksdb_readoptions_destroy")]
    public static partial void DestroyReadOptions(nint options);

    [LibraryImport(Library, EntryPoint = "rocksdb_put")]
    public static partial void Put(nint database, nint writeOptions, byte* key, nuint keyLength, byte* value, nuint valueLength, out nint error);

    [LibraryImport(Library, EntryPoint = "rocksdb_get_pinned")]
    public static partial nint GetPinned(nint database, nint readOptions, byte* key, nuint keyLength, out nint error);

    [LibraryImport(Library, EntryPoint = "rocksdb_pinnableslice_value")]
    public static partial byte* PinnedValue(nint slice, out nuint length);

    [LibraryImport(Library, EntryPoint = "rocksdb_pinnableslice_destroy")]
    public static partial void DestroyPinned(nint slice);

    [LibraryImport(Library, EntryPoint = "rocksdb_create_iterator")]
    public static partial nint CreateIterator(nint database, nint readOptions);

    [LibraryImport(Library, EntryPoint = "rocksdb_iter_destroy")]
    public static partial void DestroyIterator(nint iterator);

    [LibraryImport(Library, EntryPoint = "rocksdb_iter_seek")]
    public static partial void Seek(nint iterator, byte* key, nuint keyLength);

    [LibraryImport(Library, EntryPoint = "rocksdb_iter_next")]
    public static partial void Next(nint iterator);

    [LibraryImport(Library, EntryPoint = "rocksdb_iter_valid")]
    public static partial byte IsValid(nint iterator);

    [LibraryImport(Library, EntryPoint = "rocksdb_iter_value")]
    public static partial byte* Value(nint iterator, out nuint length);

    [LibraryImport(Library, EntryPoint = "rocksdb_iter_get_error")]
    public static partial void IteratorError(nint iterator, out nint error);

    [LibraryImport(Library, EntryPoint = "rocksdb_free")]
    public static partial void Free(nint memory);
}
