namespace HybridCaching.CrashTests;

/// <summary>The figures of a run, for the page that <c>./build.sh crash --long</c> writes.</summary>
internal static class Report
{
    private const string FileVariable = "HYBRIDCACHING_CRASH_REPORT";

    /// <summary>Adds a row of the table.</summary>
    /// <param name="what">What was done.</param>
    /// <param name="figures">What came out.</param>
    public static void Add(string what, string figures)
    {
        string row = $"| {what} | {figures} |";
        TestContext.Current.SendDiagnosticMessage(row);
        if (Environment.GetEnvironmentVariable(FileVariable) is { Length: > 0 } file) File.AppendAllText(file, row + "\n");
    }
}
