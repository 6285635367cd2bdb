namespace HybridCaching.CrashTests.Child;

/// <summary>What was found under a key.</summary>
/// <param name="Key">Whose value it says it is.</param>
/// <param name="Writer">Who stored it.</param>
/// <param name="Sequence">The number of its set.</param>
/// <param name="Lifetime">Milliseconds that it was to live; 0 for ever.</param>
/// <param name="Length">How long it is.</param>
/// <param name="IsWhole">Whether every byte is what this says it should be.</param>
internal readonly record struct Reading(int Key, int Writer, long Sequence, int Lifetime, int Length, bool IsWhole);
