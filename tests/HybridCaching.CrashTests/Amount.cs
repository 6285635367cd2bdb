using System.Globalization;

namespace HybridCaching.CrashTests;

/// <summary>How much is done: a little in the default suite, as much as environment variables say by <c>./build.sh crash --long</c>.</summary>
internal static class Amount
{
    private const string LongVariable = "HYBRIDCACHING_CRASH_LONG";
    private const string KillsVariable = "HYBRIDCACHING_CRASH_KILLS";
    private const string SeedVariable = "HYBRIDCACHING_CRASH_SEED";
    private const int UsualKills = 25;

    public static bool IsLong { get; } = !string.IsNullOrEmpty(Environment.GetEnvironmentVariable(LongVariable));

    /// <summary>How many kills there are in all.</summary>
    public static int Kills { get; } = Number(KillsVariable) ?? UsualKills;

    /// <summary>Where all random numbers begin.</summary>
    public static int Seed { get; } = Number(SeedVariable) ?? Environment.TickCount & 0xFFFFF;

    public static int Of(int usual, int large) => IsLong ? large : usual;

    /// <summary>How to do again what failed.</summary>
    public static string Again(int seed) => $"seed {seed}: {SeedVariable}={seed} ./build.sh crash{(IsLong ? " --long" : "")}";

    /// <summary>A test that the default suite leaves out, which has a short one of the same.</summary>
    public static void SkipUnlessLong() => Assert.SkipUnless(IsLong, "takes long: ./build.sh crash --long");

    private static int? Number(string variable) => int.TryParse(Environment.GetEnvironmentVariable(variable), CultureInfo.InvariantCulture, out int number) ? number : null;
}
