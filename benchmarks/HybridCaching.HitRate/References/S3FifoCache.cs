using HybridCaching.HitRate.Traces;

namespace HybridCaching.HitRate.References;

/// <summary>
/// S3-FIFO: new ids go through a small queue of a tenth; those used twice there, or remembered, come to the main queue, where each use up to three buys another round. The ghost remembers what the
/// small queue dropped, as much as the main queue weighs.
/// </summary>
/// <remarks>J. Yang et al., "FIFO queues are all you need for cache eviction", SOSP 2023. An id larger than the small queue is not stored unless it is remembered, as in the authors' simulator.</remarks>
internal sealed class S3FifoCache(Trace trace, long capacity) : ReferenceCache(trace, capacity)
{
    private const int MostUses = 3;
    private const int UsesForMain = 2;
    private const int SmallShare = 10;

    private readonly KeyQueue _small = new(trace);
    private readonly KeyQueue _main = new(trace);
    private readonly KeyQueue _ghost = new(trace);
    private readonly byte[] _uses = new byte[trace.Distinct];
    private readonly long _smallCapacity = Math.Max(1, capacity / SmallShare);
    private readonly long _mainCapacity = capacity - Math.Max(1, capacity / SmallShare);

    protected override bool TryTouch(int id)
    {
        if (!_small.Contains(id) && !_main.Contains(id)) return false;
        if (_uses[id] < MostUses) _uses[id]++;
        return true;
    }

    protected override void Store(int id)
    {
        bool isRemembered = _ghost.Remove(id);
        if (!isRemembered && Trace.Weights[id] > _smallCapacity) return;
        while (_small.Weight + _main.Weight + Trace.Weights[id] > Capacity)
        {
            if (_main.Weight > _mainCapacity || _small.IsEmpty) TakeFromMain();
            else TakeFromSmall();
        }

        _uses[id] = 0;
        (isRemembered ? _main : _small).Add(id);
    }

    private void TakeFromSmall()
    {
        int id = _small.TakeOldest();
        bool isUsed = _uses[id] >= UsesForMain;
        _uses[id] = 0;
        if (isUsed) _main.Add(id);
        else Remember(id);
    }

    private void TakeFromMain()
    {
        int id = _main.TakeOldest();
        if (_uses[id] == 0) return;
        _uses[id]--;
        _main.Add(id);
    }

    private void Remember(int id)
    {
        _ghost.Remove(id);
        _ghost.Add(id);
        while (_ghost.Weight > _mainCapacity) _ghost.TakeOldest();
    }
}
