namespace HybridCaching.Tests.Support;

/// <summary>How many of the entries that must be there were found.</summary>
public static class Found
{
    /// <summary>One of so many, at the most, is lost with another key: a new one takes the settled record of another along once in 650,000, if the index is full.</summary>
    private const int OneIn = 50_000;

    /// <summary>Fails unless all were found, or all but hardly any.</summary>
    public static void All(long expected, long found) => Assert.InRange(found, expected - 1 - (expected / OneIn), expected);
}
