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
    private readonly ReadTicket _ticket = new();

    public FasterEntrySession(ClientSession<TStored, Entry<TValue>, Empty, Entry<TValue>, Empty, SessionFunctions<TStored, TValue>> session)
    {
        _session = session;
        _context = session.UnsafeContext;
    }

    public override Lookup Read(in TKey key, ref Entry<TValue> entry)
    {
        var stored = StoredKey.Of<TKey, TStored>(in key);
        Empty input = default;
        ReadTicket.Current = _ticket;
        Enter();
        var status = _context.Read(ref stored, ref input, ref entry);
        _context.EndUnsafe();
        return status.IsPending ? Lookup.Pending : status.Found ? Lookup.Found : Lookup.NotFound;
    }

    public override bool ReadMemory(in TKey key, ref Entry<TValue> entry)
    {
        _ticket.MemoryOnly = true;
        var lookup = Read(in key, ref entry);
        bool found = lookup == Lookup.Found;
        if (lookup == Lookup.Pending)
        {
            // The device has answered with zeros at once; FASTER only has to notice.
            while (!TryComplete(ref entry, out _)) Wait(Timeout.InfiniteTimeSpan);
        }

        _ticket.MemoryOnly = false;
        return found;
    }

    public override bool TryComplete(ref Entry<TValue> entry, out bool found)
    {
        found = false;
        ReadTicket.Current = _ticket;
        Enter();
        bool complete = _context.CompletePendingWithOutputs(out var outputs, wait: false);
        while (outputs.Next())
        {
            found = outputs.Current.Status.Found;
            if (found) Entry<TValue>.Copy(in outputs.Current.Output, ref entry);
        }

        _context.EndUnsafe();
        outputs.Dispose();
        return complete;
    }

    public override bool Wait(TimeSpan timeout) => _ticket.Wait(timeout);

    public override Task<bool> WaitAsync(TimeSpan timeout, CancellationToken cancellationToken) => _ticket.WaitAsync(timeout, cancellationToken);

    public override bool Upsert(in TKey key, ref Entry<TValue> entry)
    {
        var stored = StoredKey.Of<TKey, TStored>(in key);
        Enter();
        var status = _context.Upsert(ref stored, ref entry);
        _context.EndUnsafe();
        return status.NotFound;
    }

    public override void Delete(in TKey key)
    {
        var stored = StoredKey.Of<TKey, TStored>(in key);
        Enter();
        _context.Delete(ref stored);
        _context.EndUnsafe();
    }

    public override void Dispose() => _session.Dispose();

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Enter()
    {
        _context.BeginUnsafe();
        Interlocked.MemoryBarrier();
    }
}
