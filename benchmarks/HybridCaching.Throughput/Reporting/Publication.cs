using System.Globalization;
using HybridCaching.Throughput.Cells;

namespace HybridCaching.Throughput.Reporting;

/// <summary>Writes page, table and picture: into the results if the run was a usual one, else where they are not committed.</summary>
internal sealed class Publication(ThroughputOptions options, Repository repository, IReadOnlyList<Measurement> measurements, IReadOnlyList<string> troubles)
{
    private const string Name = "throughput";

    public void Write(string commandLine, TimeSpan elapsed)
    {
        var files = new ResultFiles(repository, options.IsUnusual ? Path.Combine(repository.Root, "artifacts", Name) : null);
        files.Write($"{Name}.csv", Table.Of(measurements));
        var plots = new List<(string Title, string File)>();
        foreach (var (title, file, script) in Plot.All(measurements))
        {
            string name = $"{Name}{file}.svg";
            if (Gnuplot.Run(script(files.PathOf(name))) is { } problem) Console.WriteLine($"No plot of {title.ToLowerInvariant()}: {problem}.");
            else plots.Add((title, name));
        }

        string[] facts =
        [
            .. files.Provenance(),
            string.Create(CultureInfo.InvariantCulture, $"Made by `{commandLine}` in {elapsed.TotalMinutes:F0} minutes, what an earlier run of this commit had measured not counted; every measurement in [{Name}.csv]({Name}.csv)"),
            .. troubles,
        ];
        string page = new ResultPage(measurements).Write(facts, plots);
        files.Write($"{Name}.md", page);
        Console.WriteLine($"\n{page}\nWritten: {Path.GetRelativePath(Environment.CurrentDirectory, files.PathOf($"{Name}.md"))}.");
    }
}
