using HybridCaching.Benchmarks.Contestants;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks.Matrix;

/// <summary>Contestants by the names that the matrix has for types.</summary>
internal static class ContestantFactories
{
    public static IContestantFactory For(KeyType keys, int valueBytes) => keys switch
    {
        KeyType.Int64 => For<long, LongKeys>(valueBytes),
        KeyType.Guid => For<Guid, GuidKeys>(valueBytes),
        _ => For<PairKey, PairKeys>(valueBytes),
    };

    private static IContestantFactory For<TKey, TKind>(int valueBytes)
        where TKey : unmanaged, IEquatable<TKey>
        where TKind : IKeyKind<TKey> => valueBytes switch
        {
            8 => new ContestantFactory<TKey, TKind, Eight>(),
            32 => new ContestantFactory<TKey, TKind, Payload>(),
            100 => new ContestantFactory<TKey, TKind, Hundred>(),
            1024 => new ContestantFactory<TKey, TKind, Kilobyte>(),
            _ => throw new ArgumentOutOfRangeException(nameof(valueBytes), valueBytes, "There is no record of this size."),
        };
}
