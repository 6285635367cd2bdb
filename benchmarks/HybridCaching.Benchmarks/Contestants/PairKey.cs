namespace HybridCaching.Benchmarks.Contestants;

/// <summary>A key of 8 bytes as applications make them, with the hash that the compiler writes for it.</summary>
internal readonly record struct PairKey(int Tenant, int Item);
