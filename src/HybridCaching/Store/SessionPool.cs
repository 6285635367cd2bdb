using System.Collections.Concurrent;
using System.Numerics;
using System.Runtime.CompilerServices;

namespace HybridCaching.Store;

/// <summary>Sessions for many threads: a slot per core for the common case, spares behind them, never more than the capacity.</summary>
/// <remarks>
/// A slot only ever takes its own session back, so a return is a plain store. Where a thread was interrupted with a session in hand, others take spares.
/// Owning a session is also what keeps <see cref="Drain"/>, and with it Dispose, waiting: once drained, every slot is empty and renting throws.
/// <see cref="TryHold"/> likewise takes all sessions out, but keeps them: who wants one waits until <see cref="Release"/>.
/// </remarks>
internal sealed class SessionPool<TSession>
    where TSession : LogSession
{
    /// <summary>Slots used are so far apart that no two share a pair of cache lines.</summary>
    private const int Stride = 16;

    private readonly SessionSlot[] _slots;

    /// <summary>Which slots are a session's home.</summary>
    private readonly bool[] _isHome;

    private readonly int _slotMask;
    private readonly int _capacity;
    private readonly Func<TSession> _create;
    private readonly ConcurrentQueue<TSession> _spares = new();
    private readonly SemaphoreSlim _returned = new(0);
    private readonly List<TSession> _all = [];
    private readonly string _owner;
    private int _created;
    private int _waiting;
    private readonly List<TSession> _held = [];
    private volatile bool _isHeld;
    private volatile bool _closed;
    private volatile bool _gaveUp;

    /// <param name="capacity">How many sessions there may be.</param>
    /// <param name="create">Makes one.</param>
    /// <param name="owner">The name of what is disposed when the pool is drained.</param>
    public SessionPool(int capacity, Func<TSession> create, string owner)
    {
        int slots = SlotsFor(capacity);
        _slots = new SessionSlot[slots * Stride];
        _isHome = new bool[slots];
        _slotMask = slots - 1;
        _capacity = capacity;
        _create = create;
        _owner = owner;
    }

    /// <summary>Takes a session; waits while all are out.</summary>
    /// <exception cref="ObjectDisposedException">The pool was drained.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public TSession Rent()
    {
        ref var slot = ref _slots[(Thread.GetCurrentProcessorId() & _slotMask) * Stride].Session;
        return Unsafe.As<TSession?>(Interlocked.Exchange(ref slot, null)) ?? RentElsewhere();
    }

    /// <summary>Takes a session if one is there; null while all are out.</summary>
    /// <exception cref="ObjectDisposedException">The pool was drained.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public TSession? TryRent()
    {
        ref var slot = ref _slots[(Thread.GetCurrentProcessorId() & _slotMask) * Stride].Session;
        return Unsafe.As<TSession?>(Interlocked.Exchange(ref slot, null)) ?? TryRentElsewhere();
    }

    /// <summary>Takes a session without blocking a thread.</summary>
    /// <exception cref="ObjectDisposedException">The pool was drained.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled while waiting.</exception>
    public async ValueTask<TSession> RentAsync(CancellationToken cancellationToken)
    {
        while (true)
        {
            if (TryRentAsWaiter() is { } session) return session;
            try
            {
                await _returned.WaitAsync(cancellationToken).ConfigureAwait(false);
            }
            finally
            {
                Interlocked.Decrement(ref _waiting);
            }
        }
    }

    /// <summary>Gives a session back. Nothing may be pending on it.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Return(TSession session)
    {
        session.Redeem();
        if (session.Home >= 0) Volatile.Write(ref _slots[session.Home * Stride].Session, session);
        else _spares.Enqueue(session);
        if (Volatile.Read(ref _waiting) != 0) Wake();
    }

    /// <summary>The counts of all sessions, those in use included.</summary>
    public SessionCounters SumCounters()
    {
        SessionCounters sum = default;
        lock (_all)
        {
            foreach (var session in _all) sum += session.Counters;
        }

        return sum;
    }

    /// <summary>Called when somebody wants a session while all are held, perhaps by many at once, and before they wait.</summary>
    public Action? Wanted { get; set; }

    /// <summary>Whether somebody waits for a session.</summary>
    public bool IsWaitedFor => Volatile.Read(ref _waiting) > 0;

    /// <summary>Waits until every session is back and keeps them all; false, and nothing held, if some were not back in time, or the token says so. Not for two callers at once, nor beside <see cref="Drain"/>.</summary>
    public bool TryHold(TimeSpan timeout, CancellationToken cancellationToken)
    {
        _isHeld = true; // none is created from here on
        if (TryCollect(timeout, cancellationToken)) return true;
        Release();
        return false;
    }

    /// <summary>Gives all sessions back that <see cref="TryHold"/> took.</summary>
    public void Release()
    {
        _isHeld = false;
        foreach (var session in _held) Return(session);
        _held.Clear();
        Interlocked.MemoryBarrierProcessWide(); // as in TryRentAsWaiter
        int waiting = Volatile.Read(ref _waiting);
        if (waiting > 0) _returned.Release(waiting);
    }

    /// <summary>Waits until every session is back and disposes them all; false if some were not back in time. Renting throws from now on.</summary>
    public bool Drain(TimeSpan timeout)
    {
        _closed = true;
        Wake();
        bool areAllBack = TryCollect(timeout, CancellationToken.None);
        foreach (var session in _held) session.Dispose();
        _held.Clear();
        if (areAllBack) Wake();
        else GiveUp();
        return areAllBack;
    }

    /// <summary>Takes sessions until none is missing among those that are held; false if some were not back in time, or the token says so.</summary>
    private bool TryCollect(TimeSpan timeout, CancellationToken cancellationToken)
    {
        int all;
        lock (_all) all = _created;
        long end = Environment.TickCount64 + (long)timeout.TotalMilliseconds;
        var backoff = new SpinWait();
        while (_held.Count < all)
        {
            if (TakeAny() is { } session) _held.Add(session);
            else if (Environment.TickCount64 >= end || cancellationToken.IsCancellationRequested) return false;
            else backoff.SpinOnce();
        }

        return true;
    }

    /// <summary>From now on a session that is returned is dropped: nobody collects it any more, and nobody may rent it.</summary>
    private void GiveUp()
    {
        _gaveUp = true;
        Interlocked.Increment(ref _waiting);
        Interlocked.MemoryBarrierProcessWide(); // as in TryRentAsWaiter
        Wake();
    }

    /// <summary>A power of two, one per core but no more than the capacity.</summary>
    private static int SlotsFor(int capacity) =>
        (int)Math.Min(BitOperations.RoundUpToPowerOf2((uint)Environment.ProcessorCount), 1u << BitOperations.Log2((uint)capacity));

    [MethodImpl(MethodImplOptions.NoInlining)]
    private TSession RentElsewhere()
    {
        while (true)
        {
            if (TryRentAsWaiter() is { } session) return session;
            _returned.Wait();
            Interlocked.Decrement(ref _waiting);
        }
    }

    /// <summary>Counts the caller as waiting before it looks a last time; the count stays when nothing was found.</summary>
    private TSession? TryRentAsWaiter()
    {
        if (TryRentElsewhere() is { } found) return found;
        Interlocked.Increment(ref _waiting);

        // A return is a plain store followed by a plain load of _waiting. This makes every other core's store visible, or makes it see the count.
        Interlocked.MemoryBarrierProcessWide();
        var late = TryRentElsewhere();
        if (late is not null) Interlocked.Decrement(ref _waiting);
        return late;
    }

    private TSession? TryRentElsewhere()
    {
        ThrowIfClosed();
        if (_isHeld)
        {
            Wanted?.Invoke();
            if (_isHeld) return null;
        }

        int here = Thread.GetCurrentProcessorId() & _slotMask;
        if (!Volatile.Read(ref _isHome[here]) && Create(here) is { } first) return first; // else this core would look elsewhere for ever
        return TakeAny() ?? Create(here);
    }

    /// <summary>Makes a session whose home is this slot, or another that is nobody's yet, or none; null if there may not be one more.</summary>
    private TSession? Create(int slot)
    {
        if (Volatile.Read(ref _created) >= _capacity) return null;
        lock (_all)
        {
            ThrowIfClosed();
            if (_created >= _capacity || _isHeld) return null;
            var created = _create();
            created.Home = _isHome[slot] ? Array.IndexOf(_isHome, false) : slot;
            if (created.Home >= 0) Volatile.Write(ref _isHome[created.Home], true);
            _created++;
            _all.Add(created);
            return created;
        }
    }

    private void ThrowIfClosed()
    {
        if (_closed) throw new ObjectDisposedException(_owner);
    }

    private TSession? TakeAny()
    {
        for (int i = 0; i < _slots.Length; i += Stride)
        {
            ref var slot = ref _slots[i];
            if (slot.Session is not null && Interlocked.Exchange(ref slot.Session, null) is { } session) return Unsafe.As<TSession>(session);
        }

        return _spares.TryDequeue(out var spare) ? spare : null;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Wake()
    {
        int waiting = Volatile.Read(ref _waiting);
        while (_gaveUp && TakeAny() is not null)
        {
        }

        if (_closed) _returned.Release(waiting + 1);
        else if (_returned.CurrentCount < waiting) _returned.Release();
    }
}
