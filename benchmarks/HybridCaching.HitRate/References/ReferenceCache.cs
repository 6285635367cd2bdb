using HybridCaching.HitRate.Traces;

namespace HybridCaching.HitRate.References;

/// <summary>A cache of one tier that keeps no values: the policy alone, at its ideal.</summary>
/// <param name="trace">What will be asked for, in this order.</param>
/// <param name="capacity">The weight it may hold.</param>
internal abstract class ReferenceCache(Trace trace, long capacity)
{
    protected Trace Trace { get; } = trace;

    protected long Capacity { get; } = capacity;

    /// <summary>Asks for the next id of the trace; what is missing is stored.</summary>
    /// <returns>Whether it was a hit.</returns>
    public bool Request(int id)
    {
        if (TryTouch(id)) return true;
        if (Trace.Weights[id] <= Capacity) Store(id);
        return false;
    }

    /// <summary>Looks an id up and notes its use.</summary>
    protected abstract bool TryTouch(int id);

    /// <summary>Stores an id that is not there and would fit an empty cache.</summary>
    protected abstract void Store(int id);
}
