namespace HybridCaching.CrashTests.Child;

/// <summary>How long values are. Those of three keys of four are always equally long: a copy in the hot tier takes the next one in its place then, and may be all that there is of it.</summary>
internal static class ValueLength
{
    /// <param name="key">The key; every fourth has the same writer.</param>
    /// <param name="most">All are shorter.</param>
    /// <param name="random">Draws for the other keys.</param>
    public static int Next(int key, int most, Random random) => key / Writer.Count % 4 == 0 ? random.Next(most) : key * 7 % most;
}
