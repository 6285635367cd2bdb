using System.Globalization;

namespace HybridCaching.Benchmarks.Shared;

/// <summary>Puts finished pages under <c>benchmarks/results</c>, with machine, commit and date in front.</summary>
internal sealed class ResultFiles(Repository repository)
{
    /// <summary>Where a result comes from, one fact a line.</summary>
    public IReadOnlyList<string> Provenance() =>
    [
        $"Machine: {Machine.Describe()}",
        $"Commit: {repository.Commit()}",
        $"Date: {TimeProvider.System.GetUtcNow().ToString("yyyy-MM-dd", CultureInfo.InvariantCulture)}",
    ];

    /// <summary>Writes a page of Markdown.</summary>
    public void Write(string fileName, string text)
    {
        Directory.CreateDirectory(repository.Results);
        File.WriteAllText(Path.Combine(repository.Results, fileName), text);
    }

    /// <summary>Puts a text between the marks of that name in the README.</summary>
    public void WriteToReadme(string mark, string text)
    {
        string path = Path.Combine(repository.Root, "README.md");
        string readme = File.ReadAllText(path);
        string begin = $"<!-- {mark} -->\n";
        string end = $"<!-- end of {mark} -->";
        int start = readme.IndexOf(begin, StringComparison.Ordinal) + begin.Length;
        int stop = readme.IndexOf(end, StringComparison.Ordinal);
        if (start < begin.Length || stop < start) throw new InvalidOperationException($"README.md has no {begin.Trim()} ... {end}.");
        File.WriteAllText(path, readme[..start] + text + readme[stop..]);
    }
}
