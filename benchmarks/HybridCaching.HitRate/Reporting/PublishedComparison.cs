using HybridCaching.HitRate.References;
using HybridCaching.HitRate.Traces;

namespace HybridCaching.HitRate.Reporting;

/// <summary>Our references beside those that a pack publishes.</summary>
internal sealed class PublishedComparison
{
    private readonly List<string> _differences = [];
    private double _largest;

    /// <param name="figures">Ours.</param>
    /// <param name="published">Those of the pack; of them, what is not ours is left out.</param>
    public PublishedComparison(IEnumerable<ReferenceFigures> figures, IReadOnlyList<PublishedHits> published)
    {
        foreach (var figure in figures)
        {
            foreach (var point in figure.Curves)
            {
                if (published.FirstOrDefault(each => each.Trace == figure.Whole.Name && each.Capacity == point.Capacity && each.Policy == point.Policy) is { } theirs) Compare(figure.Whole, point, theirs);
            }
        }
    }

    /// <summary>How many figures are in both.</summary>
    public int Count { get; private set; }

    public bool IsSame => _differences.Count == 0;

    public string Summary => Count == 0
        ? "there is nothing to compare the references with"
        : $"{Count - _differences.Count} of {Count} figures of the references are those of the pack's {PublishedHits.FileName}, hit for hit{(IsSame ? "" : $"; the others differ by at most {_largest:F2} points: {string.Join("; ", _differences)}")}";

    private void Compare(Trace trace, CurvePoint ours, PublishedHits theirs)
    {
        Count++;
        if (ours.Hits == theirs.Hits && trace.Requests.Length == theirs.Requests) return;
        double difference = trace.Percent(ours.Hits) - 100.0 * theirs.Hits / theirs.Requests;
        _largest = Math.Max(_largest, Math.Abs(difference));
        _differences.Add($"{trace.Name} {ours.Capacity} {ours.Policy} {ours.Hits} instead of {theirs.Hits} hits ({difference:+0.00;-0.00} points)");
    }
}
