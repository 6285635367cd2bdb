using System.Runtime.InteropServices;

namespace HybridCaching.Throughput.Native;

/// <summary>The functions of LevelDB's C interface that are used here.</summary>
internal static unsafe partial class LevelDbImports
{
    public const string Library = "leveldb";

    [LibraryImport(Library, EntryPoint = "leveldb_options_create")]
    public static partial nint CreateOptions();

    [LibraryImport(Library, EntryPoint = "leveldb_options_destroy")]
    public static partial void DestroyOptions(nint options);

    [LibraryImport(Library, EntryPoint = "leveldb_options_set_create_if_missing")]
    public static partial void SetCreateIfMissing(nint options, byte value);

    [LibraryImport(Library, EntryPoint = "leveldb_options_set_compression")]
    public static partial void SetCompression(nint options, int kind);

    [LibraryImport(Library, EntryPoint = "leveldb_options_set_write_buffer_size")]
    public static partial void SetWriteBufferSize(nint options, nuint bytes);

    [LibraryImport(Library, EntryPoint = "leveldb_options_set_cache")]
    public static partial void SetCache(nint options, nint cache);

    [LibraryImport(Library, EntryPoint = "leveldb_options_set_filter_policy")]
    public static partial void SetFilterPolicy(nint options, nint policy);

    [LibraryImport(Library, EntryPoint = "leveldb_filterpolicy_create_bloom")]
    public static partial nint CreateBloomFilter(int bitsPerKey);

    [LibraryImport(Library, EntryPoint = "leveldb_filterpolicy_destroy")]
    public static partial void DestroyFilterPolicy(nint policy);

    [LibraryImport(Library, EntryPoint = "leveldb_cache_create_lru")]
    public static partial nint CreateCache(nuint bytes);

    [LibraryImport(Library, EntryPoint = "leveldb_cache_destroy")]
    public static partial void DestroyCache(nint cache);

    [LibraryImport(Library, EntryPoint = "leveldb_open", StringMarshalling = StringMarshalling.Utf8)]
    public static partial nint Open(nint options, string path, out nint error);

    [LibraryImport(Library, EntryPoint = "leveldb_close")]
    public static partial void Close(nint database);

    [LibraryImport(Library, EntryPoint = "leveldb_property_value", StringMarshalling = StringMarshalling.Utf8)]
    public static partial nint Property(nint database, string name);

    [LibraryImport(Library, EntryPoint = "leveldb_writeoptions_create")]
    public static partial nint CreateWriteOptions();

    [LibraryImport(Library, EntryPoint = "leveldb_writeoptions_destroy")]
    public static partial void DestroyWriteOptions(nint options);

    [LibraryImport(Library, EntryPoint = "leveldb_readoptions_create")]
    public static partial nint CreateReadOptions();

    [LibraryImport(Library, EntryPoint = "leveldb_readoptions_destroy")]
    public static partial void DestroyReadOptions(nint options);

    [LibraryImport(Library, EntryPoint = "leveldb_put")]
    public static partial void Put(nint database, nint writeOptions, byte* key, nuint keyLength, byte* value, nuint valueLength, out nint error);

    [LibraryImport(Library, EntryPoint = "leveldb_get")]
    public static partial byte* Get(nint database, nint readOptions, byte* key, nuint keyLength, out nuint valueLength, out nint error);

    [LibraryImport(Library, EntryPoint = "leveldb_create_iterator")]
    public static partial nint CreateIterator(nint database, nint readOptions);

    [LibraryImport(Library, EntryPoint = "leveldb_iter_destroy")]
    public static partial void DestroyIterator(nint iterator);

    [LibraryImport(Library, EntryPoint = "leveldb_iter_seek")]
    public static partial void Seek(nint iterator, byte* key, nuint keyLength);

    [LibraryImport(Library, EntryPoint = "leveldb_iter_next")]
    public static partial void Next(nint iterator);

    [LibraryImport(Library, EntryPoint = "leveldb_iter_valid")]
    public static partial byte IsValid(nint iterator);

    [LibraryImport(Library, EntryPoint = "leveldb_iter_value")]
    public static partial byte* Value(nint iterator, out nuint length);

    [LibraryImport(Library, EntryPoint = "leveldb_iter_get_error")]
    public static partial void IteratorError(nint iterator, out nint error);

    [LibraryImport(Library, EntryPoint = "leveldb_free")]
    public static partial void Free(nint memory);
}
