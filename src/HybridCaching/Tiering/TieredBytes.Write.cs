using System.Buffers;
using System.Diagnostics;
using System.Runtime.InteropServices;
using HybridCaching.Diagnostics;
using HybridCaching.Records;
using HybridCaching.Store;

namespace HybridCaching.Tiering;

internal sealed partial class TieredBytes
{
    /// <summary>Of what is too large, so much is told.</summary>
    private static readonly TimeSpan TooLargeLogInterval = TimeSpan.FromSeconds(10);

    /// <summary>Names values in pieces. Begins anywhere, so that pieces of an earlier run are never taken for ones of this.</summary>
    private ulong _lastChunkId = RandomId();
    private long _tooLargeLogged;

    /// <summary>Stores a value. If that cannot be, the key is removed instead: an older value must not stay.</summary>
    public void Set(string key, in ReadOnlySequence<byte> value, Lifetime lifetime, long now)
    {
        if (key.Length > KeyText.MaximumLength || value.Length > _bytes.MaximumValueBytes)
        {
            DropTooLarge(key, value.Length);
            return;
        }

        if (PinnedEntries.Covers(key, value.Length))
        {
            Pin(key, in value, lifetime, now);
            return;
        }

        using var encoded = new KeyBuffer(key, stackalloc byte[KeyBuffer.StackBytes]);
        ulong hash = HashOf(key, encoded.Bytes);
        var header = new ValueHeader(lifetime, now, ValueKind.Whole);
        if (value.Length <= AlwaysWholeBytes || BytesRecord.BytesFor(encoded.Bytes.Length, header.Bytes + (int)value.Length) <= _wholeRecordBytes)
        {
            using var bytes = new SequenceBytes(in value);
            Store(encoded.Bytes, hash, ref header, bytes.Span);
        }
        else if (value.Length <= _plan.LongestValueBytes)
        {
            StoreInChunks(encoded.Bytes, hash, in value, lifetime, now);
        }
        else
        {
            DropTooLarge(key, value.Length);
            return;
        }

        Unpin(key); // the value before may have been short; until now it was the one
    }

    /// <summary>Removes a key.</summary>
    /// <returns>Whether there may have been a value.</returns>
    public bool Remove(string key)
    {
        if (key.Length > KeyText.MaximumLength)
        {
            ThrowIfDisposed();
            return false;
        }

        using var encoded = new KeyBuffer(key, stackalloc byte[KeyBuffer.StackBytes]);
        bool removed = Remove(encoded.Bytes, HashOf(key, encoded.Bytes));
        if (!Unpin(key)) return removed;
        if (!removed) Count(new SessionCounters { Removals = 1, SettledRemovals = 1 }); // of the log's entries it was none
        return true;
    }

    /// <param name="key">The key, encoded.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="start">When the call began, from where the disk timeout counts; 0 for now.</param>
    private bool Remove(ReadOnlySpan<byte> key, ulong hash, long start = 0)
    {
        var session = _pool.Rent();
        HasRoom(ref session, BytesRecord.BytesFor(key.Length, 0), start); // a removal is carried out without, too, but there are few pages for that
        _rows.Lock(hash);
        try
        {
            bool wasUnlogged = _hot.Forget(key, hash, out bool hadCopy);
            bool wasInLog = Delete(session, key, hash);
            if (wasUnlogged || (hadCopy && !wasInLog)) session.Counters.SettledRemovals++; // it was counted where it was
            if (wasInLog || hadCopy) session.Counters.Removals++;
            return wasInLog || hadCopy;
        }
        finally
        {
            Unlock(hash, session);
        }
    }

    /// <summary>Stores in a copy alone, or in the log: appends or overwrites; without room, removes.</summary>
    /// <param name="key">The key, encoded.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="header">What precedes the value.</param>
    /// <param name="value">The value.</param>
    /// <param name="start">When the call began, from where the disk timeout counts; 0 for now.</param>
    private bool Store(ReadOnlySpan<byte> key, ulong hash, ref ValueHeader header, ReadOnlySpan<byte> value, long start = 0)
    {
        _hot.Prefetch(hash);
        _log.PrefetchForMemory(hash); // memory answers while the check is being made
        var session = _pool.Rent();
        int bytes = BytesRecord.BytesFor(key.Length, header.Bytes + value.Length);
        bool room = HasRoom(ref session, bytes, start);
        _bytesLog.PrefetchRecord(hash, bytes);
        header.Seal(key, value);
        _rows.Lock(hash);
        try
        {
            int way = header is { Kind: ValueKind.Whole, IsSliding: false } ? _hot.Find(key, hash) : -1;
            if (way >= 0 && _hot.IsUnlogged(hash, way))
            {
                if (_hot.TryStoreUnlogged(hash, way, in header, value))
                {
                    session.Counters.Writes++;
                    return true;
                }

                way = -1; // it cannot be changed: the log gets the entry
            }

            if (room)
            {
                bool isUnlogged = TryStoreUnlogged(session, key, hash, way, ref header, value, out bool isNew, out bool isAppended);
                if (header.Kind == ValueKind.Chunk) return true; // nothing older has its key
                if (!isUnlogged)
                {
                    _hot.Update(key, hash, in header, value);
                    CountSet(session, hash);
                    if (isAppended) CountAppended(session, hash, isNew);
                }

                session.Counters.Writes++;
                return true;
            }

            if (header.Kind == ValueKind.Chunk) return false;
            _hot.Forget(key, hash, out _);
            Delete(session, key, hash);
            session.Counters.Dropped++;
            return false;
        }
        finally
        {
            Unlock(hash, session);
        }
    }

    /// <summary>Removes a key from all there is on the disk and in the log. The caller holds the lock of its row.</summary>
    /// <returns>Whether there may have been something.</returns>
    private bool Delete(BytesSession session, ReadOnlySpan<byte> key, ulong hash)
    {
        bool wasSettled = RemoveSettled(hash);
        if (wasSettled) session.Counters.SettledRemovals++;
        return (HasRoomForRemoval() && session.Delete(key, hash)) | wasSettled;
    }

    /// <summary>Stores the pieces of a large value, and then under its key where they are. Until then the old value is the one.</summary>
    private void StoreInChunks(ReadOnlySpan<byte> key, ulong hash, in ReadOnlySequence<byte> value, Lifetime lifetime, long now)
    {
        var chunks = new ChunkList(Interlocked.Increment(ref _lastChunkId), (int)value.Length, _chunkBytes, HeadBytes());
        var header = new ValueHeader(lifetime, now, ValueKind.ChunkList);
        Span<byte> chunkKey = stackalloc byte[KeyText.ChunkKeyBytes];
        if (ComesBack(hash)) CountLogHit(chunks.Owner); // its pieces get names that nobody remembers
        var rest = value;
        long start = Stopwatch.GetTimestamp();
        for (int i = 0; i < chunks.Count; i++)
        {
            KeyText.EncodeChunk(chunks.Id, i, chunkKey);
            int length = chunks.Range(i).Length;
            var piece = rest.Slice(0, length);
            rest = rest.Slice(length);
            using var bytes = new SequenceBytes(in piece);
            var chunkHeader = new ValueHeader(default, now, ValueKind.Chunk);
            if (Store(chunkKey, _hasher.Hash(chunkKey), ref chunkHeader, bytes.Span, start)) continue;
            Remove(key, hash, start);
            Count(new SessionCounters { Dropped = 1 });
            return;
        }

        Store(key, hash, ref header, MemoryMarshal.AsBytes(new ReadOnlySpan<ChunkList>(in chunks)), start);
    }

    /// <summary>How much of a value in pieces fills the page that the log is at: else what is left of it, up to a piece, would be lost. Others may fill it meanwhile, which does no harm.</summary>
    private int HeadBytes()
    {
        long tail = _log.TailAddress;
        int left = (int)(_log.EndOfPage(tail) - tail);
        int rest = left % _wholeRecordBytes;
        int inRest = rest - (_wholeRecordBytes - _chunkBytes);
        return (left / _wholeRecordBytes * _chunkBytes) + (inRest >= LeastChunkBytes ? inRest / RecordAlignment * RecordAlignment : 0);
    }

    /// <summary>Stores an entry that must not leave. If there are too many of them, everything is cleared: without one, what it invalidates would come back.</summary>
    private void Pin(string key, in ReadOnlySequence<byte> value, Lifetime lifetime, long now)
    {
        ThrowIfDisposed();
        var entry = new PinnedEntry(new ValueHeader(lifetime, now, ValueKind.Whole), value.ToArray());
        bool isStored = _pinned.TrySet(key, entry, now);
        if (!isStored)
        {
            Log.MarkersOverflowed(_logger, _settings.Name, _plan.PinnedBytes);
            Clear();
            isStored = _pinned.TrySet(key, entry, now);
        }

        using var encoded = new KeyBuffer(key, stackalloc byte[KeyBuffer.StackBytes]);
        Remove(encoded.Bytes, HashOf(key, encoded.Bytes)); // the value before may have been long, and the log is asked first
        Count(isStored ? new SessionCounters { Writes = 1 } : new SessionCounters { Dropped = 1 });
    }

    /// <summary>Removes an entry that does not leave; false if there was none.</summary>
    private bool Unpin(string key)
    {
        if (!_pinned.Remove(key)) return false;
        _pool.Return(_pool.Rent()); // a checkpoint that still has it is void from here on
        return true;
    }

    private void DropTooLarge(string key, long bytes)
    {
        Remove(key);
        Count(new SessionCounters { Dropped = 1 });
        long logged = Volatile.Read(ref _tooLargeLogged);
        if (logged != 0 && Stopwatch.GetElapsedTime(logged) < TooLargeLogInterval) return;
        if (Interlocked.CompareExchange(ref _tooLargeLogged, Stopwatch.GetTimestamp(), logged) != logged) return;
        Log.TooLarge(_logger, _settings.Name, bytes, key.Length, _bytes.MaximumValueBytes, _plan.LongestValueBytes, KeyText.MaximumLength);
    }

    private static ulong RandomId()
    {
        ulong id = 0;
        System.Security.Cryptography.RandomNumberGenerator.Fill(MemoryMarshal.AsBytes(new Span<ulong>(ref id)));
        return id;
    }
}
