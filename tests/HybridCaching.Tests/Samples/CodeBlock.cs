namespace HybridCaching.Tests.Samples;

/// <summary>A block of C# in a page of Markdown.</summary>
/// <param name="Page">The page, relative to the root of the repository.</param>
/// <param name="Line">The number of the line with its opening fence.</param>
/// <param name="IsExempt">Whether the page says that it is not compiled.</param>
/// <param name="Lines">Its lines, without the fences.</param>
internal sealed record CodeBlock(string Page, int Line, bool IsExempt, IReadOnlyList<string> Lines)
{
    /// <summary>Stands in the line before a block that cannot be compiled in this repository.</summary>
    private const string Exemption = "not compiled here";

    private const string Fence = "```";

    private static readonly string[] Languages = ["csharp", "cs", "c#"];

    /// <summary>All blocks of C# of a page, whichever of its names the fence uses.</summary>
    public static IEnumerable<CodeBlock> Of(string page, string text)
    {
        string[] lines = text.Split('\n');
        for (int open = 0; open < lines.Length; open++)
        {
            if (!IsFence(lines[open])) continue;
            int close = Array.FindIndex(lines, open + 1, IsFence);
            if (close < 0) close = lines.Length;
            bool isExempt = open > 0 && lines[open - 1].Contains(Exemption, StringComparison.Ordinal);
            if (IsCSharp(lines[open])) yield return new CodeBlock(page, open + 1, isExempt, lines[(open + 1)..close]);
            open = close;
        }
    }

    /// <summary>Whether a file holds the block: its lines one after the other, all of them further in or out by the same width. What follows the last character of a line does not matter.</summary>
    public bool IsIn(string source)
    {
        string[] block = Dedent(Lines);
        string[] lines = source.Split('\n');
        return block.Any(line => line.Length > 0)
            && Enumerable.Range(0, Math.Max(0, lines.Length - block.Length + 1)).Any(at => lines[at].Trim() == block[0].Trim() && Dedent(lines[at..(at + block.Length)]).SequenceEqual(block));
    }

    private static bool IsFence(string line) => line.TrimStart().StartsWith(Fence, StringComparison.Ordinal);

    private static bool IsCSharp(string fence) => Languages.Contains(fence.Trim().TrimStart('`').Split(' ', '{')[0], StringComparer.OrdinalIgnoreCase);

    private static string[] Dedent(IReadOnlyList<string> lines)
    {
        int indent = lines.Where(line => !string.IsNullOrWhiteSpace(line)).Select(line => line.Length - line.TrimStart().Length).DefaultIfEmpty().Min();
        return [.. lines.Select(line => string.IsNullOrWhiteSpace(line) ? "" : line[indent..].TrimEnd())];
    }
}
