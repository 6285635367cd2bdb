using System.Diagnostics;
using System.Globalization;

namespace HybridCaching.Benchmarks.Quick;

/// <summary>What a paired run finds: a line each as it comes, and all of it as a page of <c>benchmarks/results</c>.</summary>
internal sealed class QuickPage
{
    private readonly string _title;
    private readonly string _command;
    private readonly string _sizes;
    private readonly long _start = Stopwatch.GetTimestamp();
    private readonly List<Cell> _cells = [];
    private readonly List<Figure> _figures = [];
    private bool _failed;

    /// <param name="title">The heading of the page.</param>
    /// <param name="command">The argument that makes this program write it; the page has its name.</param>
    /// <param name="sizes">What was measured on.</param>
    public QuickPage(string title, string command, string sizes)
    {
        _title = title;
        _command = command;
        _sizes = sizes;
        Console.WriteLine(sizes);
    }

    public IReadOnlyList<Cell> Cells => _cells;

    public IReadOnlyList<Figure> Figures => _figures;

    private string FileName => $"{_command}.md";

    public void Collect(Func<IEnumerable<Cell>> measure) => Collect(measure, _cells);

    public void Collect(Func<IEnumerable<Figure>> measure) => Collect(measure, _figures);

    /// <summary>Writes the page, unless a contestant answered wrongly or did not do its work.</summary>
    public bool TryWrite(ResultFiles results)
    {
        if (!TryEnd()) return false;
        results.Write(FileName, Text(results));
        Console.WriteLine($"written to benchmarks/results/{FileName}");
        return true;
    }

    /// <summary>Says how long it took; false if a contestant answered wrongly or did not do its work.</summary>
    public bool TryEnd()
    {
        string seconds = Stopwatch.GetElapsedTime(_start).TotalSeconds.ToString("F0", CultureInfo.InvariantCulture);
        Console.WriteLine(_failed ? $"FAILED after {seconds} s; nothing was written" : $"{seconds} s");
        return !_failed;
    }

    private void Collect<T>(Func<IEnumerable<T>> measure, List<T> found)
    {
        try
        {
            foreach (var result in measure())
            {
                Console.WriteLine(result);
                found.Add(result);
            }
        }
        catch (Exception failure)
        {
            _failed = true;
            Console.WriteLine($"FAILED: {failure}");
        }
    }

    private string Text(ResultFiles results) =>
        $"""
        # {_title}

        {string.Join("\n", results.Provenance().Select(fact => $"- {fact}"))}
        - Sizes: {_sizes}
        - Made by `dotnet run -c Release --project benchmarks/HybridCaching.Benchmarks -- {_command}`

        {string.Join("\n", Tables())}

        """;

    /// <summary>Those in which there is something.</summary>
    private IEnumerable<string> Tables()
    {
        if (_cells.Count > 0)
        {
            yield return $"""
                | what | compared with | target | ratio | min-max | ours, ns/op | theirs, ns/op | core to core, ns |
                |---|---|---:|---:|---:|---:|---:|---:|
                {string.Join("\n", _cells.Select(cell => cell.ToTableRow()))}

                """;
        }

        if (_figures.Count == 0) yield break;
        yield return $"""
            | what | target | figure |
            |---|---:|---:|
            {string.Join("\n", _figures.Select(figure => figure.ToTableRow()))}
            """;
    }
}
