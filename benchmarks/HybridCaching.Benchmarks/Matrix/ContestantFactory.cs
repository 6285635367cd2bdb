using HybridCaching.Benchmarks.Contestants;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks.Matrix;

/// <summary>Contestants with these types of keys and values.</summary>
internal sealed class ContestantFactory<TKey, TKind, TRecord> : IContestantFactory
    where TKey : unmanaged, IEquatable<TKey>
    where TKind : IKeyKind<TKey>
    where TRecord : unmanaged, IRecord<TRecord>
{
    public EntrySizes Sizes => EntrySizes.Of<TKey, TRecord>();

    public IContestant Dictionary() => DictionaryContestant<TKey, TKind, TRecord>.Default();

    public IContestant Cache(int entries, MemoryShare share) => CacheContestant<TKey, TKind, TRecord>.OnDisk(MemoryBytes(entries, share), Budgets.DiskForOverwrites(entries, Sizes));

    public IContestant Store(int entries, MemoryShare share, int workers) =>
        new StoreContestant<TKey, TKind, TRecord>(Budgets.StoreWithReadCache(entries, MemoryBytes(entries, share), Sizes), workers);

    private long MemoryBytes(int entries, MemoryShare share) =>
        share.IsAsDictionary ? DictionaryContestant<TKey, TKind, TRecord>.MeasureMemory(entries) : Budgets.Memory(entries, share, Sizes);
}
