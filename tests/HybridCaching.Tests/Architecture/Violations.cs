namespace HybridCaching.Tests.Architecture;

internal static class Violations
{
    /// <summary>Fails with every violation on a line of its own; the collection asserts of xunit cut theirs short.</summary>
    public static void AssertNone(IEnumerable<string> violations)
    {
        string[] found = [.. violations.Distinct()];
        if (found.Length > 0) Assert.Fail($"{found.Length} violations:\n{string.Join('\n', found)}");
    }
}
