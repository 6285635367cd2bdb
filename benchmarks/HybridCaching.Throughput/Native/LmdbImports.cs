using System.Runtime.InteropServices;

namespace HybridCaching.Throughput.Native;

/// <summary>The functions of LMDB that are used here. All but those without a result return 0 or an error.</summary>
internal static unsafe partial class LmdbImports
{
    public const string Library = "lmdb";
    public const int NotFound = -30798;

    /// <summary>MDB_NOSYNC: a commit does not wait for the disk.</summary>
    public const uint NoSync = 0x10000;

    /// <summary>MDB_NOTLS: a reader belongs to its transaction, not to its thread.</summary>
    public const uint NoThreadStorage = 0x200000;

    /// <summary>MDB_NORDAHEAD: for data larger than memory.</summary>
    public const uint NoReadAhead = 0x800000;

    public const uint ReadOnly = 0x20000;

    /// <summary>MDB_SET_RANGE: to the first key that is not smaller.</summary>
    public const int SetRange = 17;

    /// <summary>MDB_NEXT.</summary>
    public const int NextEntry = 8;

    [LibraryImport(Library, EntryPoint = "mdb_strerror")]
    public static partial nint ErrorText(int error);

    [LibraryImport(Library, EntryPoint = "mdb_env_create")]
    public static partial int CreateEnvironment(out nint environment);

    [LibraryImport(Library, EntryPoint = "mdb_env_set_mapsize")]
    public static partial int SetMapSize(nint environment, nuint bytes);

    [LibraryImport(Library, EntryPoint = "mdb_env_open", StringMarshalling = StringMarshalling.Utf8)]
    public static partial int OpenEnvironment(nint environment, string path, uint flags, uint mode);

    [LibraryImport(Library, EntryPoint = "mdb_env_close")]
    public static partial void CloseEnvironment(nint environment);

    [LibraryImport(Library, EntryPoint = "mdb_dbi_open")]
    public static partial int OpenDatabase(nint transaction, nint name, uint flags, out uint database);

    [LibraryImport(Library, EntryPoint = "mdb_txn_begin")]
    public static partial int Begin(nint environment, nint parent, uint flags, out nint transaction);

    [LibraryImport(Library, EntryPoint = "mdb_txn_commit")]
    public static partial int Commit(nint transaction);

    [LibraryImport(Library, EntryPoint = "mdb_txn_abort")]
    public static partial void Abort(nint transaction);

    [LibraryImport(Library, EntryPoint = "mdb_txn_reset")]
    public static partial void Reset(nint transaction);

    [LibraryImport(Library, EntryPoint = "mdb_txn_renew")]
    public static partial int Renew(nint transaction);

    [LibraryImport(Library, EntryPoint = "mdb_get")]
    public static partial int Get(nint transaction, uint database, LmdbBytes* key, LmdbBytes* value);

    [LibraryImport(Library, EntryPoint = "mdb_put")]
    public static partial int Put(nint transaction, uint database, LmdbBytes* key, LmdbBytes* value, uint flags);

    [LibraryImport(Library, EntryPoint = "mdb_cursor_open")]
    public static partial int OpenCursor(nint transaction, uint database, out nint cursor);

    [LibraryImport(Library, EntryPoint = "mdb_cursor_close")]
    public static partial void CloseCursor(nint cursor);

    [LibraryImport(Library, EntryPoint = "mdb_cursor_get")]
    public static partial int MoveCursor(nint cursor, LmdbBytes* key, LmdbBytes* value, int operation);
}
