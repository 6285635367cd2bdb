using HybridCaching.Benchmarks.Pages;

namespace HybridCaching.Benchmarks.Tests;

/// <summary>docs/benchmarks.md and the cells in the README are what benchmarks/results says.</summary>
public sealed class GeneratedPagesTests
{
    private const string UpdateVariable = "UPDATE_DOCS";
    private const string UpdateCommand = UpdateVariable + "=1 dotnet test HybridCache.sln -c Release --filter FullyQualifiedName~GeneratedPagesTests";

    private readonly Repository _repository = Repository.Find();

    [Fact]
    public void BenchmarkPage_InTheRepository_IsWhatTheResultsSay()
    {
        string path = Path.Combine(_repository.Root, BenchmarkPage.Path);
        string page = BenchmarkPage.Of(_repository.Results);
        if (Environment.GetEnvironmentVariable(UpdateVariable) == "1") File.WriteAllText(path, page);
        Assert.True(File.ReadAllText(path) == page, $"{BenchmarkPage.Path} differs from what the results say: run {UpdateCommand}");
    }

    [Fact]
    public void Readme_CellsOfTheSuites_AreWhatTheResultsSay()
    {
        string cells = ReadmeSummary.Of(_repository.Results);
        if (Environment.GetEnvironmentVariable(UpdateVariable) == "1") new ResultFiles(_repository).WriteToReadme(ReadmeSummary.Mark, cells);
        string readme = File.ReadAllText(Path.Combine(_repository.Root, "README.md"));
        Assert.True(readme.Contains($"<!-- {ReadmeSummary.Mark} -->\n{cells}<!-- end of {ReadmeSummary.Mark} -->", StringComparison.Ordinal), $"README.md differs from what the results say: run {UpdateCommand}");
    }
}
