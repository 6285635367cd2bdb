namespace HybridCaching.CrashTests.History;

/// <summary>One call, as it was recorded.</summary>
/// <param name="Key">The key.</param>
/// <param name="Kind">What was done.</param>
/// <param name="Value">Of a set its value, of a hit the value found: <see cref="ThreadHistory.ValueOf"/>.</param>
/// <param name="Begin">A moment before it began.</param>
/// <param name="End">A moment after it had ended.</param>
internal readonly record struct Operation(int Key, OperationKind Kind, long Value, long Begin, long End);
