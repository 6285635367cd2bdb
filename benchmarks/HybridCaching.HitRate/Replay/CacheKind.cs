using System.Runtime.CompilerServices;
using HybridCaching.HitRate.Traces;
using Page = HybridCaching.HitRate.Replay.Eight<HybridCaching.HitRate.Replay.Eight<HybridCaching.HitRate.Replay.Eight<long>>>;

namespace HybridCaching.HitRate.Replay;

/// <summary>A cache of the library that a trace can be replayed through.</summary>
internal sealed class CacheKind
{
    private readonly Opener _open;

    private CacheKind(string name, long entryBytes, Opener open)
    {
        Name = name;
        EntryBytes = entryBytes;
        _open = open;
    }

    private delegate IReplayedCache Opener(Trace trace, long unitBytes, CacheBudgets budgets, WorkDirectory directory, WarningCollector warnings);

    /// <summary>The cache of bytes. It takes any trace.</summary>
    public static CacheKind Bytes { get; } = new("bytes", 0, static (trace, unitBytes, budgets, directory, warnings) => new BytesReplay(trace, unitBytes, budgets, directory, warnings));

    /// <summary>Typed caches, those of the shortest entries first. They take traces without sizes.</summary>
    public static IReadOnlyList<CacheKind> Typed { get; } =
    [
        TypedOf<Eight<Eight<long>>>(),
        TypedOf<Two<Eight<Eight<long>>>>(),
        TypedOf<Two<Two<Eight<Eight<long>>>>>(),
        TypedOf<Page>(),
        TypedOf<Three<Two<Two<Eight<Eight<long>>>>>>(),
        TypedOf<Two<Page>>(),
        TypedOf<Three<Page>>(),
        TypedOf<Two<Two<Page>>>(),
    ];

    public string Name { get; }

    /// <summary>Bytes of key and value, where they are all of one length; else 0.</summary>
    public long EntryBytes { get; }

    /// <summary>Opens an empty cache.</summary>
    /// <param name="trace">The trace it will be asked for.</param>
    /// <param name="unitBytes">Bytes of key and value for each unit of weight.</param>
    /// <param name="budgets">Its budgets.</param>
    /// <param name="directory">Where its files go.</param>
    /// <param name="warnings">Where it warns.</param>
    /// <exception cref="ArgumentException">It cannot work with these budgets.</exception>
    public IReplayedCache Open(Trace trace, long unitBytes, CacheBudgets budgets, WorkDirectory directory, WarningCollector warnings) => _open(trace, unitBytes, budgets, directory, warnings);

    private static CacheKind TypedOf<TValue>()
        where TValue : unmanaged =>
        new("typed", sizeof(long) + Unsafe.SizeOf<TValue>(), static (trace, _, budgets, directory, warnings) => new TypedReplay<TValue>(trace, budgets, directory, warnings));
}
