using System.Reflection;
using System.Runtime.InteropServices;

namespace HybridCaching.Throughput.Native;

/// <summary>A C library of another store, found by the name that its package installs.</summary>
/// <param name="Name">The name that the imports use.</param>
/// <param name="Files">The names that the file may have, the one of Debian 12 first.</param>
/// <param name="Package">Its package of Debian 12.</param>
internal sealed record CLibrary(string Name, IReadOnlyList<string> Files, string Package)
{
    public static CLibrary RocksDb { get; } = new(RocksDbImports.Library, ["librocksdb.so.7.8", "librocksdb.so"], "librocksdb7.8");

    public static CLibrary LevelDb { get; } = new(LevelDbImports.Library, ["libleveldb.so.1d", "libleveldb.so.1", "libleveldb.so"], "libleveldb1d");

    public static CLibrary Lmdb { get; } = new(LmdbImports.Library, ["liblmdb.so.0", "liblmdb.so"], "liblmdb0");

    public static CLibrary Sqlite { get; } = new(SqliteImports.Library, ["libsqlite3.so.0", "libsqlite3.so"], "libsqlite3-0");

    public static IReadOnlyList<CLibrary> All { get; } = [RocksDb, LevelDb, Lmdb, Sqlite];

    /// <summary>Whether it can be loaded.</summary>
    public bool IsInstalled => Load() != 0;

    /// <summary>Lets the imports of this program find their libraries. To be called once, before any of them.</summary>
    public static void RegisterAll() => NativeLibrary.SetDllImportResolver(Assembly.GetExecutingAssembly(), static (name, _, _) => All.FirstOrDefault(library => library.Name == name)?.Load() ?? 0);

    private nint Load()
    {
        foreach (string file in Files)
        {
            if (NativeLibrary.TryLoad(file, out nint handle)) return handle;
        }

        return 0;
    }
}
