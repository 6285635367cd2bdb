using System.Globalization;

namespace HybridCaching.Benchmarks.Shared;

/// <summary>Puts finished pages under <c>benchmarks/results</c>, with machine, commit and date in front.</summary>
/// <param name="repository">The working copy.</param>
/// <param name="folder">Where pages go instead; null for <c>benchmarks/results</c>.</param>
internal sealed class ResultFiles(Repository repository, string? folder = null)
{
    private readonly string _folder = folder ?? repository.Results;

    /// <summary>Where a result comes from, one fact a line.</summary>
    public IReadOnlyList<string> Provenance() =>
    [
        $"Machine: {Machine.Describe()}",
        $"Commit: {repository.Commit()}",
        $"Date: {TimeProvider.System.GetUtcNow().ToString("yyyy-MM-dd", CultureInfo.InvariantCulture)}",
    ];

    /// <summary>Where a file goes. The folder is there afterwards.</summary>
    public string PathOf(string fileName)
    {
        Directory.CreateDirectory(_folder);
        return Path.Combine(_folder, fileName);
    }

    /// <summary>Writes a page of Markdown, or another file of text.</summary>
    public void Write(string fileName, string text) => File.WriteAllText(PathOf(fileName), text);

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
