using System.Runtime.CompilerServices;
using FASTER.core;
using HybridCaching.Devices;
using HybridCaching.Records;

namespace HybridCaching.Store;

/// <summary>A FASTER session. Every operation enters the epoch by itself and leaves it before anything is waited for.</summary>
/// <remarks>
/// FASTER announces a thread's epoch with a plain store. Without a full fence behind it the processor may read a record's page before another thread can see
/// the announcement, and that thread may then recycle the page. BasicContext has no such fence, so the operations run in an UnsafeContext with one.
/// </remarks>
internal sealed class FasterEntrySession<TKey, TStored, TValue> : EntrySession<TKey, TValue>
    where TKey : unmanaged
    where TStored : unmanaged
    where TValue : unmanaged
{
    private readonly ClientSession<TStored, Entry<TValue>, Empty, Entry<TValue>, Empty, SessionFunctions<TStored, TValue>> _session;
    private readonly UnsafeContext<TStored, Entry<TValue>, Empty, Entry<TValue>, Empty, SessionFunctions<TStored, TValue>> _context;
    private readonly LogDevice? _device;
    private readonly ReadTicket _ticket = new();

    /// <param name="session">FASTER's session, this one's alone.</param>
    /// <param name="device">The device of the log; null for a log in memory only, whose reads are never pending.</param>
    public FasterEntrySession(ClientSession<TStored, Entry<TValue>, Empty, Entry<TValue>, Empty, SessionFunctions<TStored, TValue>> session, LogDevice? device)
    {
        _session = session;
        _context = session.UnsafeContext;
        _device = device;
    }

    public override Lookup Read(in TKey key, ref Entry<TValue> entry)
    {
        var lookup = Enquire(in key, ref entry);
        if (lookup == Lookup.Pending) _device!.CarryOut(_ticket);
        return lookup;
    }

    public override Lookup ReadMemory(in TKey key, ref Entry<TValue> entry)
    {
        var lookup = Enquire(in key, ref entry);
        if (lookup == Lookup.Pending)
        {
            do LogDevice.Decline();
            while (!Complete(ref entry, out _));
        }

        return lookup;
    }

    public override bool TryComplete(ref Entry<TValue> entry, out bool found)
    {
        do
        {
            if (!Complete(ref entry, out found)) continue;
            _ticket.Reset();
            return true;
        }
        while (_device!.CarryOut(_ticket));

        return false;
    }

    /// <summary>Asks FASTER; a read that it starts is left in the ticket.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private Lookup Enquire(in TKey key, ref Entry<TValue> entry)
    {
        var stored = StoredKey.Of<TKey, TStored>(in key);
        Empty input = default;
        Enter();
        ReadTicket.Current = _ticket;
        try
        {
            var status = _context.Read(ref stored, ref input, ref entry);
            return status.IsPending ? Lookup.Pending : status.Found ? Lookup.Found : Lookup.NotFound;
        }
        finally
        {
            ReadTicket.Current = null;
            _context.EndUnsafe();
        }
    }

    /// <summary>Lets FASTER look at the results of its reads; it may start another.</summary>
    private bool Complete(ref Entry<TValue> entry, out bool found)
    {
        found = false;
        Enter();
        ReadTicket.Current = _ticket;
        try
        {
            bool complete = _context.CompletePendingWithOutputs(out var outputs, wait: false);
            while (outputs.Next())
            {
                found = outputs.Current.Status.Found;
                if (found) Entry<TValue>.Copy(in outputs.Current.Output, ref entry);
            }

            outputs.Dispose();
            return complete;
        }
        finally
        {
            ReadTicket.Current = null;
            _context.EndUnsafe();
        }
    }

    public override bool Wait(TimeSpan timeout) => _ticket.Wait(timeout);

    public override Task<bool> WaitAsync(TimeSpan timeout, CancellationToken cancellationToken) => _ticket.WaitAsync(timeout, cancellationToken);

    public override bool Upsert(in TKey key, ref Entry<TValue> entry)
    {
        var stored = StoredKey.Of<TKey, TStored>(in key);
        Enter();
        try
        {
            return _context.Upsert(ref stored, ref entry).NotFound;
        }
        finally
        {
            _context.EndUnsafe();
        }
    }

    public override void Delete(in TKey key)
    {
        var stored = StoredKey.Of<TKey, TStored>(in key);
        Enter();
        try
        {
            _context.Delete(ref stored);
        }
        finally
        {
            _context.EndUnsafe();
        }
    }

    public override void Dispose() => _session.Dispose();

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Enter()
    {
        _context.BeginUnsafe();
        Interlocked.MemoryBarrier();
    }
}
