namespace HybridCaching.Devices;

/// <summary>The checksums of the blocks of one segment: in a slot of a <see cref="LiveState"/>, or, if none was free, in memory of their own.</summary>
/// <remarks>
/// A slot is used anew after all others that are free. Who still has the checksums of a segment that is gone sees those of another one then, which is a miss: what was read does not match.
/// </remarks>
internal sealed unsafe class SegmentChecksums
{
    private readonly LiveState? _state;
    private readonly int _slot;
    private readonly uint[] _own;

    /// <summary>Those in a slot.</summary>
    public SegmentChecksums(LiveState state, int slot)
    {
        _state = state;
        _slot = slot;
        _own = [];
    }

    /// <summary>Those of so many blocks, in memory of their own.</summary>
    public SegmentChecksums(int blocks) => _own = new uint[blocks];

    /// <summary>All of them; live.</summary>
    public Span<uint> All => _state is null ? _own : new Span<uint>(_state.SumsOf(_slot), (int)(_state.SegmentBytes / Configuration.MemoryPlan.BlockBytes));

    /// <summary>The segment that a slot is taken by; null if it is free.</summary>
    public int? Owner => _state!.Owners[_slot] is > 0 and var owner ? owner - 1 : null;

    /// <summary>Begins with nothing, for a segment.</summary>
    public void Take(int segment)
    {
        All.Clear();
        if (_state is not null) Volatile.Write(ref _state.Owners[_slot], segment + 1);
    }

    /// <summary>Gives the slot free.</summary>
    /// <returns>False if there is none.</returns>
    public bool TryFree(out int slot)
    {
        slot = _slot;
        if (_state is null) return false;
        Volatile.Write(ref _state.Owners[_slot], 0);
        return true;
    }
}
