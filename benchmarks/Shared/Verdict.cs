using System.Diagnostics.CodeAnalysis;

namespace HybridCaching.Benchmarks.Shared;

/// <summary>Ends a measurement whose contestant answered wrongly.</summary>
internal static class Verdict
{
    [DoesNotReturn]
    public static void WrongValue(long key) => throw new InvalidOperationException($"the value read for key {key} belongs to another key or is torn.");
}
