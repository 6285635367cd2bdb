using HybridCaching.HitRate.Traces;

namespace HybridCaching.HitRate.References;

/// <summary>What came first leaves first.</summary>
internal class FifoCache(Trace trace, long capacity) : ReferenceCache(trace, capacity)
{
    protected KeyQueue Queue { get; } = new(trace);

    protected override bool TryTouch(int id) => Queue.Contains(id);

    protected override void Store(int id)
    {
        while (Queue.Weight + Trace.Weights[id] > Capacity) Queue.TakeOldest();
        Queue.Add(id);
    }
}
