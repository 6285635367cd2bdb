namespace HybridCaching.Tiering;

/// <summary>Whether a checkpoint counts: agreed on by the thread that writes it and the one that waits for it, of which either may be late.</summary>
internal sealed class CheckpointCommit
{
    private const int Wanted = 0;
    private const int Committing = 1;
    private const int Committed = 2;
    private const int GivenUp = 3;

    private int _state;

    /// <summary>For who writes it, before the manifest is renamed into its place; false if nobody wants it any more.</summary>
    public bool TryBegin() => Interlocked.CompareExchange(ref _state, Committing, Wanted) == Wanted;

    /// <summary>For who writes it, after that; false if it was given up meanwhile.</summary>
    public bool TryEnd() => Interlocked.CompareExchange(ref _state, Committed, Committing) == Committing;

    /// <summary>Whether the manifest may have come into its place.</summary>
    public bool HasBegun => Volatile.Read(ref _state) != Wanted;

    /// <summary>For who waits for it.</summary>
    /// <param name="isOnItsWay">Whether the manifest may be in its place, now or later, though it does not count.</param>
    /// <returns>False if it counts already.</returns>
    public bool TryGiveUp(out bool isOnItsWay)
    {
        int state = Interlocked.CompareExchange(ref _state, GivenUp, Wanted);
        if (state == Committing) state = Interlocked.CompareExchange(ref _state, GivenUp, Committing);
        isOnItsWay = state == Committing;
        return isOnItsWay || state == Wanted;
    }
}
