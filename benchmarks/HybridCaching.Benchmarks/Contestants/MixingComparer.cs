using FASTER.core;
using HybridCaching.Store;

namespace HybridCaching.Benchmarks.Contestants;

/// <summary>The library's own hash for a raw store, with a secret that is the same in every run.</summary>
internal static class MixingComparer
{
    public static KeyHasher Hasher => new([0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0xD6E8FEB86659FD93]);

    public static IFasterEqualityComparer<long> Create() => new KeyComparer<long>(Hasher);
}
