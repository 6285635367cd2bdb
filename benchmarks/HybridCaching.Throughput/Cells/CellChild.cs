using System.Text.Json;

namespace HybridCaching.Throughput.Cells;

/// <summary>The process that measures a plan: it says how far it is, and its results, in lines.</summary>
internal static class CellChild
{
    public const string Command = "cell";
    public const string ProgressMark = "progress ";
    public const string ResultMark = "result ";

    /// <param name="plan">The plan in JSON.</param>
    public static int Run(string plan)
    {
        using var watch = WatchParent();
        using var run = new CellRun(JsonSerializer.Deserialize<CellPlan>(plan)!, (done, what) => Say(ProgressMark, FormattableString.Invariant($"{done:F3} {what}")));
        foreach (var measurement in run.Measure()) Say(ResultMark, JsonSerializer.Serialize(measurement));
        return 0;
    }

    private static void Say(string mark, string text)
    {
        lock (Console.Out) Console.WriteLine(mark + text);
    }

    /// <summary>Ends this process when the one that started it is gone.</summary>
    private static Timer WatchParent()
    {
        var second = TimeSpan.FromSeconds(1);
        int parent = Parent();
        return new Timer(
            _ =>
            {
                if (Parent() != parent) Environment.FailFast("The process that started this one has gone.");
            },
            null,
            second,
            second);
    }

    private static int Parent()
    {
        const string Field = "PPid:";
        string line = File.ReadLines("/proc/self/status").First(line => line.StartsWith(Field, StringComparison.Ordinal));
        return int.Parse(line.AsSpan(Field.Length), System.Globalization.CultureInfo.InvariantCulture);
    }
}
