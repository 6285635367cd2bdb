using System.Text.RegularExpressions;

namespace HybridCaching.Benchmarks.Pages;

/// <summary>A page of <c>benchmarks/results</c>.</summary>
/// <param name="FileName">Its name.</param>
/// <param name="Title">Its heading.</param>
/// <param name="Machine">The processor, or what else it says of the machine.</param>
/// <param name="Commit">The commit it was measured from.</param>
/// <param name="Date">When.</param>
/// <param name="MadeBy">By which command; pages of suites do not say so.</param>
/// <param name="Plots">The pictures in it, as links.</param>
/// <param name="Targets">Every figure that has a target.</param>
internal sealed partial record ResultPage(string FileName, string Title, string Machine, string Commit, string Date, string MadeBy, IReadOnlyList<string> Plots, IReadOnlyList<TargetRow> Targets)
{
    public static IReadOnlyList<ResultPage> ReadAll(string folder) => [.. Directory.EnumerateFiles(folder, "*.md").Order(StringComparer.Ordinal).Select(Read)];

    public string ToTableRow() => $"| [{FileName}](../benchmarks/results/{FileName}) | {Title} | {Machine} | {Commit} | {Date} | {MadeBy} |";

    private static ResultPage Read(string path)
    {
        string[] lines = File.ReadAllLines(path);
        string name = Path.GetFileName(path);
        string madeBy = Command().Match(Find("- Made by ")) is { Success: true } command ? command.Value : $"`./build.sh bench {Path.GetFileNameWithoutExtension(name)}`";
        return new ResultPage(name, Find("# "), Find("- Machine: ").Split(',')[0], Find("- Commit: "), Find("- Date: "), madeBy, [.. lines.Where(line => Plot().IsMatch(line)).Select(line => line.Replace("](", "](../benchmarks/results/", StringComparison.Ordinal))], [.. TargetRow.In(name, lines)]);

        string Find(string start) => lines.FirstOrDefault(line => line.StartsWith(start, StringComparison.Ordinal))?[start.Length..] ?? "";
    }

    /// <summary>The command, without what else is said of it.</summary>
    [GeneratedRegex("^`[^`]+`")]
    private static partial Regex Command();

    [GeneratedRegex(@"^!\[[^\]]*\]\([\w-]+\.svg\)$")]
    private static partial Regex Plot();
}
