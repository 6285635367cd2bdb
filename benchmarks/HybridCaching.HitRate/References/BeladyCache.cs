using HybridCaching.HitRate.Traces;

namespace HybridCaching.HitRate.References;

/// <summary>Belady's MIN: knows the future, and drops what will be used last. The best there is where all ids weigh the same.</summary>
internal sealed class BeladyCache : ReferenceCache
{
    private const int Never = int.MaxValue;
    private const int NotIn = 0;

    /// <summary>By request: the next request for the same id.</summary>
    private readonly int[] _nextUse;

    /// <summary>By id: its next request while it is in; a next request is never the first of the trace.</summary>
    private readonly int[] _nextUseOf;

    /// <summary>Ids by next request, the last first. Outdated ones stay until they come up.</summary>
    private readonly PriorityQueue<int, int> _byNextUse = new();
    private long _weight;
    private int _request = -1;

    public BeladyCache(Trace trace, long capacity)
        : base(trace, capacity)
    {
        _nextUse = new int[trace.Requests.Length];
        _nextUseOf = new int[trace.Distinct];
        int[] seen = new int[trace.Distinct];
        Array.Fill(seen, Never);
        for (int i = _nextUse.Length - 1; i >= 0; i--)
        {
            int id = trace.Requests[i];
            _nextUse[i] = seen[id];
            seen[id] = i;
        }
    }

    protected override bool TryTouch(int id)
    {
        _request++;
        if (_nextUseOf[id] == NotIn) return false;
        Schedule(id);
        return true;
    }

    protected override void Store(int id)
    {
        int weight = Trace.Weights[id];
        while (_weight + weight > Capacity)
        {
            _byNextUse.TryDequeue(out int last, out int priority);
            if (_nextUseOf[last] != -priority) continue;
            _nextUseOf[last] = NotIn;
            _weight -= Trace.Weights[last];
        }

        _weight += weight;
        Schedule(id);
    }

    private void Schedule(int id)
    {
        _nextUseOf[id] = _nextUse[_request];
        _byNextUse.Enqueue(id, -_nextUseOf[id]);
    }
}
