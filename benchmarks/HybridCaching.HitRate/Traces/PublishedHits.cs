using System.Globalization;

namespace HybridCaching.HitRate.Traces;

/// <summary>One line of a pack's <c>reference.tsv</c>: how many hits a policy must have.</summary>
internal sealed record PublishedHits(string Trace, long Capacity, string Policy, long Hits, long Requests)
{
    public const string FileName = "reference.tsv";

    private const string Header = "trace\tcapacity\tpolicy\thit_percent\thits\trequests";
    private const int Columns = 6;

    /// <exception cref="TraceFormatException">The file is something else.</exception>
    /// <exception cref="IOException">The file cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">The file may not be read.</exception>
    public static IReadOnlyList<PublishedHits> Read(string path)
    {
        string file = Path.GetFileName(path);
        string[] lines = File.ReadAllLines(path);
        if (lines.Length == 0 || lines[0] != Header) throw new TraceFormatException(file, "line 1", $"the header is not '{Header.Replace('\t', ' ')}' with tabs in between");
        return [.. lines.Skip(1).Select((line, i) => Parse(file, i + 2, line))];
    }

    private static PublishedHits Parse(string file, int number, string line)
    {
        string[] cells = line.Split('\t');
        if (cells.Length != Columns) throw Malformed($"there are {cells.Length} columns, not {Columns}");
        return new PublishedHits(cells[0], Number(1), cells[2], Number(4), Number(5));

        long Number(int column) => long.TryParse(cells[column], NumberStyles.None, CultureInfo.InvariantCulture, out long value)
            ? value
            : throw Malformed($"column {column + 1} is '{cells[column]}', not a number");

        TraceFormatException Malformed(string problem) => new(file, $"line {number}", problem);
    }
}
