namespace HybridCaching.Benchmarks.Pages;

/// <summary>The README's two best cells of the suites and the worst, of those that say something.</summary>
internal static class ReadmeSummary
{
    public const string Mark = "figures of bench";

    public static string Of(string results)
    {
        var suites = SuiteResult.ReadAll(results);
        Comparison[] ordered = [.. suites.SelectMany(Comparison.Of).Where(comparison => comparison.IsTelling).OrderBy(comparison => comparison.Ratio)];
        if (ordered.Length == 0) return "No suite has been measured yet: `./build.sh bench`.\n";
        var best = ordered[0];
        var second = ordered.FirstOrDefault(comparison => comparison.Opponent != best.Opponent) ?? best;
        string facts = string.Join("; ", ((SuiteResult[])[best.Suite, second.Suite, ordered[^1].Suite]).Select(suite => string.Join(" · ", suite.Facts)).Distinct());
        return $"""
            {facts}

            | | suite | cell | beside | ours, ns | theirs, ns | ratio | reads |
            |---|---|---|---|---:|---:|---:|---|
            | best {best.ToTableRow()}
            | best beside another {second.ToTableRow()}
            | worst {ordered[^1].ToTableRow()}

            """;
    }
}
