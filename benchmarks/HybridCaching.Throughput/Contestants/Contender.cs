using HybridCaching.Throughput.Native;
using HybridCaching.Throughput.Workloads;

namespace HybridCaching.Throughput.Contestants;

/// <summary>Somebody who can take part.</summary>
/// <param name="Name">As on the command line and on the page.</param>
/// <param name="Library">The C library that it needs; null for none.</param>
/// <param name="HasOrder">Whether it can scan in the order of keys: only those take part in workload E.</param>
/// <param name="HasDisk">Whether it keeps anything on the disk.</param>
/// <param name="HasDirectIo">Whether it can read and write past the page cache.</param>
/// <param name="Open">Opens it in a folder that is empty.</param>
internal sealed record Contender(string Name, CLibrary? Library, bool HasOrder, bool HasDisk, bool HasDirectIo, Func<Conditions, string, IContestant> Open)
{
    public const string Bytes = "ours-bytes";
    public const string Typed = "ours-typed";
    public const string Dictionary = "dictionary";
    public const string TextDictionary = "dictionary-text";
    public const string Memory = "memorycache";
    public const string Faster = "fasterkv";
    public const string RocksDb = "rocksdb";
    public const string LevelDb = "leveldb";
    public const string Sqlite = "sqlite";
    public const string Lmdb = "lmdb";
    public const string Bound = "bound";

    public static IReadOnlyList<Contender> All { get; } =
    [
        new(Bytes, null, HasOrder: false, HasDisk: true, HasDirectIo: true, static (conditions, directory) => new BytesContestant(conditions, directory)),
        new(Typed, null, HasOrder: false, HasDisk: true, HasDirectIo: true, OpenTyped),
        new(Dictionary, null, HasOrder: false, HasDisk: false, HasDirectIo: false, OpenDictionary),
        new(TextDictionary, null, HasOrder: false, HasDisk: false, HasDirectIo: false, static (_, _) => new TextDictionaryContestant()),
        new(Memory, null, HasOrder: false, HasDisk: false, HasDirectIo: false, static (conditions, _) => new MemoryCacheContestant(conditions)),
        new(Faster, null, HasOrder: false, HasDisk: true, HasDirectIo: false, OpenFaster),
        new(RocksDb, CLibrary.RocksDb, HasOrder: true, HasDisk: true, HasDirectIo: true, static (conditions, directory) => new RocksDbContestant(conditions, directory)),
        new(LevelDb, CLibrary.LevelDb, HasOrder: true, HasDisk: true, HasDirectIo: false, static (conditions, directory) => new LevelDbContestant(conditions, directory)),
        new(Sqlite, CLibrary.Sqlite, HasOrder: true, HasDisk: true, HasDirectIo: false, static (conditions, directory) => new SqliteContestant(conditions, directory)),
        new(Lmdb, CLibrary.Lmdb, HasOrder: true, HasDisk: true, HasDirectIo: false, static (conditions, directory) => new LmdbContestant(conditions, directory)),
        new(Bound, null, HasOrder: false, HasDisk: true, HasDirectIo: true, static (conditions, directory) => new BoundContestant(conditions, directory)),
    ];

    public bool IsOurs => Name is Bytes or Typed;

    /// <summary>Whether it reads and writes its files through the page cache.</summary>
    public bool IsInPageCache => HasDisk && !HasDirectIo;

    /// <summary>Whether its files in the page cache have to be held down by somebody else, see <see cref="Measuring.PageCacheKeeper"/>.</summary>
    public bool NeedsKeeper(Conditions conditions) => IsInPageCache && conditions.PageCache == PageCacheUse.Budgeted;

    /// <summary>Whether it can take part in a workload.</summary>
    public bool Fits(Mix mix) => HasOrder || mix.Scans == 0;

    public static Contender Named(string name) => All.FirstOrDefault(each => each.Name == name) ?? throw new CannotStartException($"contestant '{name}' is none of {string.Join(", ", All.Select(each => each.Name))}");

    // What is typed has values of these lengths only.
    private static IContestant OpenTyped(Conditions conditions, string directory) => conditions.ValueBytes switch
    {
        Value100.Length => new TypedContestant<Value100>(conditions, directory),
        _ => new TypedContestant<Value1000>(conditions, directory),
    };

    private static IContestant OpenFaster(Conditions conditions, string directory) => conditions.ValueBytes switch
    {
        Value100.Length => new FasterContestant<Value100>(conditions, directory),
        _ => new FasterContestant<Value1000>(conditions, directory),
    };

    private static IContestant OpenDictionary(Conditions conditions, string directory) => conditions.ValueBytes switch
    {
        Value100.Length => new DictionaryContestant<Value100>(),
        _ => new DictionaryContestant<Value1000>(),
    };
}
