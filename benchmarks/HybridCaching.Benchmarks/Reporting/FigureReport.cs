using System.Globalization;

namespace HybridCaching.Benchmarks.Reporting;

/// <summary>Lines by which the process of a benchmark tells figures that BenchmarkDotNet does not take; <see cref="FigureColumn"/> shows them.</summary>
internal static class FigureReport
{
    private const string Prefix = "// Figure: ";

    public static void Write(string figure, long value) => Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{Prefix}{figure}={value}"));

    /// <summary>Finds a figure in what the process wrote: the last one.</summary>
    public static long? Find(IEnumerable<string> lines, string figure)
    {
        string start = $"{Prefix}{figure}=";
        string? line = lines.LastOrDefault(each => each.StartsWith(start, StringComparison.Ordinal));
        return line is null ? null : long.Parse(line.AsSpan(start.Length), CultureInfo.InvariantCulture);
    }
}
