namespace HybridCaching.Tests.Distributed;

/// <summary>One call of a random sequence, or something that happens to the cache.</summary>
/// <param name="Call">Which.</param>
/// <param name="Key">On which key.</param>
/// <param name="Length">Of the value.</param>
/// <param name="Lifetime">The expirations of an entry.</param>
/// <param name="Number">How long they are, or how much time passes.</param>
public readonly record struct BytesModelStep(BytesModelCall Call, int Key, int Length, BytesModelLifetime Lifetime, int Number);
