namespace HybridCaching.Benchmarks.Pages;

/// <summary>Writes what is made of the results: the pictures, docs/benchmarks.md, the cells in the README.</summary>
internal sealed class PageRun(Repository repository)
{
    public const string Command = "page";

    public int Run()
    {
        foreach (var suite in SuiteResult.ReadAll(repository.Results))
        {
            if (SuitePlots.Draw(suite, repository.Results) is { } problem) Console.WriteLine($"{suite.Suite}: no plots: {problem}.");
        }

        File.WriteAllText(Path.Combine(repository.Root, BenchmarkPage.Path), BenchmarkPage.Of(repository.Results));
        new ResultFiles(repository).WriteToReadme(ReadmeSummary.Mark, ReadmeSummary.Of(repository.Results));
        Console.WriteLine($"Written: {BenchmarkPage.Path} and the README's cells.");
        return 0;
    }
}
