using System.Runtime.CompilerServices;
using FASTER.core;

namespace HybridCaching.Store;

/// <summary>A session's way into FASTER's epoch and out of it: for each operation, or for a small batch.</summary>
/// <remarks>
/// FASTER announces a thread's epoch with a plain store. Without a full fence behind it the processor may read a record's page before another thread can see
/// the announcement, and that thread may then recycle the page. BasicContext has no such fence, so the operations run in an UnsafeContext with one.
/// </remarks>
internal struct EpochGate<TKey, TValue, TInput, TOutput, TFunctions>(UnsafeContext<TKey, TValue, TInput, TOutput, Empty, TFunctions> context)
    where TFunctions : IFunctions<TKey, TValue, TInput, TOutput, Empty>
{
    private bool _isHeld;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public readonly void Enter()
    {
        if (_isHeld) return;
        context.BeginUnsafe();
        Interlocked.MemoryBarrier();
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public readonly void Leave()
    {
        if (_isHeld) return;

        // FASTER gives the epoch back with plain stores. Whatever was read and written inside comes before them.
        Volatile.ReadBarrier();
        Volatile.WriteBarrier();
        context.EndUnsafe();
    }

    public void Hold()
    {
        Enter();
        _isHeld = true;
    }

    public void Release()
    {
        _isHeld = false;
        Leave();
    }
}
