using HybridCaching.HitRate.Traces;

namespace HybridCaching.HitRate.References;

/// <summary>What has not been used for longest leaves first.</summary>
internal sealed class LruCache(Trace trace, long capacity) : FifoCache(trace, capacity)
{
    protected override bool TryTouch(int id)
    {
        if (!Queue.Remove(id)) return false;
        Queue.Add(id);
        return true;
    }
}
