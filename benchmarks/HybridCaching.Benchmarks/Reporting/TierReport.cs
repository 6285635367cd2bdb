using HybridCaching.Benchmarks.Contestants;

namespace HybridCaching.Benchmarks.Reporting;

/// <summary>Tells where the reads since its making were answered.</summary>
internal sealed class TierReport(IContestant contestant)
{
    private readonly TierHits _before = contestant.Hits ?? default;

    public void Write()
    {
        if (contestant.Hits is not { } after) return;
        var hits = after - _before;
        long reads = hits.Memory + hits.Disk + hits.Missed;
        if (reads == 0) return;
        FigureReport.Write(FigureColumn.FromMemoryFigure, 1000 * hits.Memory / reads);
        FigureReport.Write(FigureColumn.FromDiskFigure, 1000 * hits.Disk / reads);
        FigureReport.Write(FigureColumn.MissedFigure, 1000 * hits.Missed / reads);
    }
}
