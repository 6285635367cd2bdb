using HybridCaching.Tests.Architecture;

namespace HybridCaching.Tests.Samples;

public sealed class ReadmeTests
{
    /// <summary>The table and the page it is from are written together: neither may be changed by hand.</summary>
    [Fact]
    public void Readme_TableOfFigures_IsThatOfTheResultFile()
    {
        string readme = File.ReadAllText(Repository.Combine("README.md"));
        string[] table = readme.Split("<!-- figures of bench targets -->")[1].Split("<!-- end of figures of bench targets -->")[0].Split('\n', StringSplitOptions.RemoveEmptyEntries);
        string results = File.ReadAllText(Repository.Combine("benchmarks/results/targets.md"));

        Assert.All(table[0].Split(" · "), fact => Assert.Contains($"- {fact}\n", results));
        Assert.NotEmpty(table[3..]);
        Assert.All(table[3..], row =>
        {
            string[] cells = [.. row.Split('|').Select(cell => cell.Trim())];
            Assert.All(cells[3].Replace("**", "").Split(", "), ratio => Assert.Contains(results.Split('\n'), line => line.StartsWith($"| {cells[1]}") && line.Contains($"| {ratio.Split(" (")[0]} ")));
        });
    }
}
