using HybridCaching.Benchmarks.Contestants;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks.Reporting;

/// <summary>Tells how much memory a contestant holds that was made after this report.</summary>
internal sealed class MemoryReport
{
    private readonly long _heapBefore = Heap.Live();

    /// <summary>Without the growth of the heap, which has more reasons where a workload keeps arrays.</summary>
    public void WriteInUse(IContestant contestant)
    {
        FigureReport.Write(FigureColumn.InUseFigure, contestant.MemoryInUse ?? Heap.Live() - _heapBefore);
        GC.KeepAlive(contestant);
    }

    public void Write(IContestant contestant)
    {
        long heap = Heap.Live() - _heapBefore;
        FigureReport.Write(FigureColumn.InUseFigure, contestant.MemoryInUse ?? heap);
        FigureReport.Write(FigureColumn.HeapFigure, heap);
        GC.KeepAlive(contestant);
    }
}
