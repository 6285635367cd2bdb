using HybridCaching.HitRate.Traces;

namespace HybridCaching.HitRate.References;

/// <summary>Ids in the order they came, and what they weigh. Any of them can be taken out.</summary>
internal sealed class KeyQueue(Trace trace)
{
    private const int None = -1;

    // Doubly linked by id.
    private readonly int[] _newer = new int[trace.Distinct];
    private readonly int[] _older = new int[trace.Distinct];
    private readonly bool[] _isIn = new bool[trace.Distinct];
    private int _newest = None;
    private int _oldest = None;

    public long Weight { get; private set; }

    public bool IsEmpty => _oldest == None;

    public bool Contains(int id) => _isIn[id];

    public void Add(int id)
    {
        _older[id] = _newest;
        _newer[id] = None;
        if (_newest == None) _oldest = id;
        else _newer[_newest] = id;
        _newest = id;
        _isIn[id] = true;
        Weight += trace.Weights[id];
    }

    public bool Remove(int id)
    {
        if (!_isIn[id]) return false;
        if (_newer[id] == None) _newest = _older[id];
        else _older[_newer[id]] = _older[id];
        if (_older[id] == None) _oldest = _newer[id];
        else _newer[_older[id]] = _newer[id];
        _isIn[id] = false;
        Weight -= trace.Weights[id];
        return true;
    }

    public int TakeOldest()
    {
        int id = _oldest;
        Remove(id);
        return id;
    }
}
