using System.Runtime.InteropServices;

namespace HybridCaching.Throughput.Native;

/// <summary>The functions of SQLite that are used here.</summary>
internal static unsafe partial class SqliteImports
{
    public const string Library = "sqlite3";
    public const int Ok = 0;
    public const int Row = 100;
    public const int Done = 101;
    public const int ReadWrite = 2;
    public const int Create = 4;

    /// <summary>SQLITE_OPEN_NOMUTEX: a connection is used by one thread.</summary>
    public const int NoMutex = 0x8000;

    [LibraryImport(Library, EntryPoint = "sqlite3_open_v2", StringMarshalling = StringMarshalling.Utf8)]
    public static partial int Open(string path, out nint connection, int flags, nint fileSystem);

    [LibraryImport(Library, EntryPoint = "sqlite3_close_v2")]
    public static partial int Close(nint connection);

    [LibraryImport(Library, EntryPoint = "sqlite3_errmsg")]
    public static partial nint ErrorText(nint connection);

    [LibraryImport(Library, EntryPoint = "sqlite3_busy_timeout")]
    public static partial int SetBusyTimeout(nint connection, int milliseconds);

    [LibraryImport(Library, EntryPoint = "sqlite3_exec", StringMarshalling = StringMarshalling.Utf8)]
    public static partial int Execute(nint connection, string statements, nint callback, nint argument, nint error);

    [LibraryImport(Library, EntryPoint = "sqlite3_prepare_v2", StringMarshalling = StringMarshalling.Utf8)]
    public static partial int Prepare(nint connection, string statement, int length, out nint prepared, nint tail);

    [LibraryImport(Library, EntryPoint = "sqlite3_finalize")]
    public static partial int Finish(nint prepared);

    /// <summary>With 0 as the destructor the bytes must stay until the next reset.</summary>
    [LibraryImport(Library, EntryPoint = "sqlite3_bind_blob")]
    public static partial int BindBlob(nint prepared, int index, byte* value, int length, nint destructor);

    [LibraryImport(Library, EntryPoint = "sqlite3_bind_int")]
    public static partial int BindInteger(nint prepared, int index, int value);

    [LibraryImport(Library, EntryPoint = "sqlite3_step")]
    public static partial int Step(nint prepared);

    [LibraryImport(Library, EntryPoint = "sqlite3_reset")]
    public static partial int Reset(nint prepared);

    [LibraryImport(Library, EntryPoint = "sqlite3_column_blob")]
    public static partial byte* Blob(nint prepared, int column);

    [LibraryImport(Library, EntryPoint = "sqlite3_column_bytes")]
    public static partial int BlobLength(nint prepared, int column);

    /// <summary>SQLITE_STATUS_MEMORY_USED is operation 0.</summary>
    [LibraryImport(Library, EntryPoint = "sqlite3_status64")]
    public static partial int Status(int operation, out long current, out long highest, int reset);
}
