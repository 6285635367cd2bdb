using System.Runtime.CompilerServices;
using FASTER.core;
using HybridCaching.Diagnostics;
using HybridCaching.Records;

namespace HybridCaching.Store;

/// <summary>A FASTER session. Every operation enters the epoch by itself and leaves it before anything is waited for.</summary>
/// <remarks>
/// What is in memory FASTER reads. What is on disk we read ourselves, from the address that its index names: its own way there, through pending contexts,
/// queues and buffers, costs more than the read of a cached block, and ties the session to a callback that a hung disk never makes.
/// </remarks>
internal sealed class FasterEntrySession<TKey, TStored, TValue> : EntrySession<TKey, TValue>
    where TKey : unmanaged
    where TStored : unmanaged
    where TValue : unmanaged
{
    private readonly FasterEntryLog<TKey, TStored, TValue> _log;
    private readonly ClientSession<TStored, Entry<TValue>, Empty, Entry<TValue>, Empty, SessionFunctions<TStored, TValue>> _session;
    private readonly UnsafeContext<TStored, Entry<TValue>, Empty, Entry<TValue>, Empty, SessionFunctions<TStored, TValue>> _context;
    private readonly EntryReader<TKey, TValue> _reader;
    private EpochGate<TStored, Entry<TValue>, Empty, Entry<TValue>, SessionFunctions<TStored, TValue>> _epoch;

    /// <param name="log">The log.</param>
    /// <param name="session">FASTER's session, this one's alone.</param>
    public FasterEntrySession(
        FasterEntryLog<TKey, TStored, TValue> log,
        ClientSession<TStored, Entry<TValue>, Empty, Entry<TValue>, Empty, SessionFunctions<TStored, TValue>> session)
    {
        _log = log;
        _reader = log.NewReader();
        _session = session;
        _context = session.UnsafeContext;
        _epoch = new(_context);
    }

    public override Lookup Find(in TKey key, ulong hash, ref Entry<TValue> entry) => Find(in key, hash, ref entry, isLatched: true);

    public override Lookup FindUnlatched(in TKey key, ulong hash, ref Entry<TValue> entry) => Find(in key, hash, ref entry, isLatched: false);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private Lookup Find(in TKey key, ulong hash, ref Entry<TValue> entry, bool isLatched)
    {
        var stored = StoredKey.Of<TKey, TStored>(in key);
        _epoch.Enter();
        try
        {
            for (BusyWait wait = default; ; wait.Once())
            {
                long moves = _log.IndexMoves;
                long address = _log.NewestInChain(hash);
                if (_log.TryFindInMemory(ref stored, ref address))
                {
                    FoundAddress = address;
                    if (!isLatched && _log.TryCopy(address, ref entry, out bool isThere)) return isThere ? Lookup.Found : Lookup.NotFound;
                    Empty input = default;
                    var status = _context.Read(ref stored, ref input, ref entry);
                    if (status.Found) return Lookup.Found;
                    if (status.IsPending) Drop(); // it has left memory this moment
                    Volatile.ReadBarrier(); // FASTER's look at the index is over before the count is looked at again
                    if (_log.IndexMoves != moves || (moves & 1) != 0) continue; // it may have looked where it was not any more
                    if (!status.IsPending) return Lookup.NotFound;
                }

                return _log.TryBeginTrail(hash, address, out Trail) ? Lookup.OnDisk : Lookup.NotFound;
            }
        }
        finally
        {
            _epoch.Leave();
        }
    }

    public override bool TryReadKey(long address, out TKey key)
    {
        _epoch.Enter();
        try
        {
            return _log.TryReadKey(address, out key);
        }
        finally
        {
            _epoch.Leave();
        }
    }

    public override bool TryReadDisk(in TKey key, ref Entry<TValue> entry, out bool found) => _reader.TryRead(in key, ref Trail, ref entry, out found);

    /// <summary>Takes the answer to a read that FASTER has started, which the device has declined.</summary>
    private void Drop()
    {
        _context.CompletePendingWithOutputs(out var outputs, wait: false);
        outputs.Dispose();
    }

    public override bool Upsert(in TKey key, ulong hash, ref Entry<TValue> entry, out bool isAppended)
    {
        var stored = StoredKey.Of<TKey, TStored>(in key);
        _epoch.Enter();
        try
        {
            long address = _log.NewestInChain(hash);
            _log.PrefetchSettled(hash, address); // memory answers while a record is appended
            bool isInMemory = _log.TryFindInMemory(ref stored, ref address);
            isAppended = !isInMemory || !_log.TryOverwrite(address, in entry);
            FoundAddress = address;
            if (!isAppended) return false;
            bool isNew = !isInMemory || _log.IsRemoved(address);
            if (isInMemory && isNew) FoundAddress = 0;
            _context.Upsert(ref stored, ref entry);
            return isNew;
        }
        finally
        {
            _epoch.Leave();
        }
    }

    public override bool TryShowNewest(ref long address, long end, DateTimeOffset now, INewestSink sink)
    {
        _epoch.Enter();
        try
        {
            for (int i = 0; i < RecordsPerStay && address < end; i++)
            {
                if (address < _log.HeadAddress || address + EntryLog<TKey, TValue>.RecordBytes > _log.EndOfPage(address))
                {
                    address = end;
                }
                else
                {
                    _log.PrefetchChainBehind(address);
                    if (_log.TryReadNewest(address, now, out var record, out ulong hash) && !sink.TryTake(address, hash, record, owner: hash, hasName: true)) return false;
                    address = EntryLog<TKey, TValue>.NextRecord(address, _log.PageBytes);
                }
            }

            return true;
        }
        finally
        {
            _epoch.Leave();
        }
    }

    public override bool? IsNewestInMemory(long address)
    {
        _epoch.Enter();
        try
        {
            return address < _log.HeadAddress ? null : _log.IsNewest(address);
        }
        finally
        {
            _epoch.Leave();
        }
    }

    public override bool OverwriteOrRemove(in TKey key, ulong hash, ref Entry<TValue> entry, out bool isAppended, out bool wasInMemory)
    {
        var stored = StoredKey.Of<TKey, TStored>(in key);
        _epoch.Enter();
        try
        {
            long address = _log.NewestInChain(hash);
            bool isInMemory = _log.TryFindInMemory(ref stored, ref address);
            wasInMemory = isInMemory && !_log.IsRemoved(address);
            isAppended = false;
            FoundAddress = address;
            if (wasInMemory && _log.TryOverwrite(address, in entry)) return false;
            isAppended = wasInMemory && _log.BytesToOverwrite(address) <= 0;
            if (isAppended) _context.Upsert(ref stored, ref entry);
            else if (wasInMemory || (!isInMemory && _log.IsOnDisk(address))) _context.Delete(ref stored);
            return !isAppended;
        }
        finally
        {
            _epoch.Leave();
        }
    }

    public override void Delete(in TKey key, ulong hash)
    {
        var stored = StoredKey.Of<TKey, TStored>(in key);
        _epoch.Enter();
        try
        {
            if (_log.MayHold(hash)) _context.Delete(ref stored);
        }
        finally
        {
            _epoch.Leave();
        }
    }

    public override void Dispose() => _session.Dispose();

    public override void Hold() => _epoch.Hold();

    public override void Release() => _epoch.Release();
}
