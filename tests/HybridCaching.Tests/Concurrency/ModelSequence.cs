namespace HybridCaching.Tests.Concurrency;

/// <summary>Random sequences of calls.</summary>
internal static class ModelSequence
{
    /// <summary>The same steps without one piece of them.</summary>
    public static IEnumerable<T[]> Shrink<T>(T[] steps)
    {
        for (int length = steps.Length / 2; length > 0; length /= 2)
        {
            for (int start = 0; start + length <= steps.Length; start += length) yield return [.. steps[..start], .. steps[(start + length)..]];
        }
    }
}
