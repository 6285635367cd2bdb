namespace HybridCaching.Benchmarks.Pages;

/// <summary>A page of <c>benchmarks/results</c>: what it is called, and where it comes from.</summary>
internal sealed record ResultPage(string FileName, string Title, string Commit, string Date, IReadOnlyList<MissedTarget> Missed)
{
    public static IReadOnlyList<ResultPage> ReadAll(string folder) => [.. Directory.EnumerateFiles(folder, "*.md").Order(StringComparer.Ordinal).Select(Read)];

    public string ToTableRow() => $"| [{FileName}](../benchmarks/results/{FileName}) | {Title} | {Commit} | {Date} |";

    private static ResultPage Read(string path)
    {
        string[] lines = File.ReadAllLines(path);
        string name = Path.GetFileName(path);
        return new ResultPage(name, Find("# "), Find("- Commit: "), Find("- Date: "), [.. MissedTarget.In(name, lines)]);

        string Find(string start) => lines.FirstOrDefault(line => line.StartsWith(start, StringComparison.Ordinal))?[start.Length..] ?? "";
    }
}
