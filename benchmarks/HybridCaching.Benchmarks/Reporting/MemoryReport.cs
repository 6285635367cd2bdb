using HybridCaching.Benchmarks.Contestants;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks.Reporting;

/// <summary>Tells how much memory a contestant holds that was made after this report.</summary>
internal sealed class MemoryReport
{
    private readonly long _heapBefore = Heap.Live();

    public void Write(IContestant contestant)
    {
        long heap = Heap.Live() - _heapBefore;
        FigureReport.Write(FigureColumn.InUseFigure, contestant.MemoryInUse ?? heap);
        FigureReport.Write(FigureColumn.HeapFigure, heap);
        GC.KeepAlive(contestant);
    }
}
