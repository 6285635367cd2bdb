using System.Runtime.CompilerServices;
using HybridCaching.HotTier;
using HybridCaching.Records;
using HybridCaching.Store;

namespace HybridCaching.Tiering;

internal sealed partial class TieredBytes
{
    /// <summary>Looks a key up in memory, then on the disk, where the thread waits no longer than the disk timeout.</summary>
    /// <returns>Whether there is a value; it is in the destination then.</returns>
    public bool TryRead<TDestination>(string key, ref TDestination destination)
        where TDestination : struct, IValueDestination
    {
        using var encoded = new KeyBuffer(key, stackalloc byte[KeyBuffer.StackBytes]);
        ulong hash = HashOf(key, encoded.Bytes);
        if (TryReadHot(encoded.Bytes, hash, ref destination, out bool isHit)) return isHit;
        var read = new BytesRead(destination.Buffer);
        Read(key, encoded.Bytes, hash, ref read);
        destination.Accept(ref read);
        return read.IsHit;
    }

    /// <summary>As <see cref="TryRead"/>, but no thread waits; completes at once when the disk is not needed.</summary>
    /// <returns>What is to be given to the destination; nothing where the destination has the value already.</returns>
    public ValueTask<BytesRead> ReadAsync<TDestination>(string key, ref TDestination destination, CancellationToken cancellationToken)
        where TDestination : struct, IValueDestination
    {
        using var encoded = new KeyBuffer(key, stackalloc byte[KeyBuffer.StackBytes]);
        ulong hash = HashOf(key, encoded.Bytes);
        return TryReadHot(encoded.Bytes, hash, ref destination, out bool isHit)
            ? new ValueTask<BytesRead>(new BytesRead(ValueBuffer.None) { State = isHit ? BytesReadState.Hit : BytesReadState.Miss })
            : ReadAsync(key, encoded.Bytes, hash, new BytesRead(destination.Buffer), cancellationToken);
    }

    /// <summary>Looks a key up in memory, then on the disk, where the thread waits no longer than the disk timeout.</summary>
    public void Read(string key, ref BytesRead read)
    {
        using var encoded = new KeyBuffer(key, stackalloc byte[KeyBuffer.StackBytes]);
        Read(key, encoded.Bytes, HashOf(key, encoded.Bytes), ref read);
    }

    /// <summary>As <see cref="Read(string, ref BytesRead)"/>, but no thread waits; completes at once when the disk is not needed.</summary>
    public ValueTask<BytesRead> ReadAsync(string key, BytesRead read, CancellationToken cancellationToken)
    {
        using var encoded = new KeyBuffer(key, stackalloc byte[KeyBuffer.StackBytes]);
        return ReadAsync(key, encoded.Bytes, HashOf(key, encoded.Bytes), read, cancellationToken);
    }

    /// <summary>Counts a read that need not be carried out.</summary>
    public void CountMiss() => Count(new SessionCounters { Misses = 1 });

    /// <summary>Prolongs the life of an entry whose window slides. Its value is read only if it has to be written again.</summary>
    public async ValueTask RefreshAsync(string key, bool isAsync, CancellationToken cancellationToken)
    {
        if (key.Length > KeyText.MaximumLength)
        {
            ThrowIfDisposed();
            return; // no such key is stored
        }

        if (_pinned.Find(key) is { } entry)
        {
            ThrowIfDisposed();
            if (!IsOver(entry.Header)) entry.Renew(Now);
            return;
        }

        await RenewAsync(key, isAsync, RenewalAttempts, needsValue: false, cancellationToken).ConfigureAwait(false);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Read(string key, ReadOnlySpan<byte> encoded, ulong hash, ref BytesRead read)
    {
        if (!TryReadInMemory(mayBlock: true, encoded, hash, ref read)) read = WaitAndConcludeAsync(key, new KeyRead(encoded.ToArray(), hash, read), isAsync: false, CancellationToken.None).GetAwaiter().GetResult();
        else if (Conclude(key, encoded, hash, ref read) == Renewal.Open) RenewOnceMoreAsync(key, isAsync: false).GetAwaiter().GetResult();
    }

    private ValueTask<BytesRead> ReadAsync(string key, ReadOnlySpan<byte> encoded, ulong hash, BytesRead read, CancellationToken cancellationToken)
    {
        if (!TryReadInMemory(mayBlock: false, encoded, hash, ref read)) return WaitAndConcludeAsync(key, new KeyRead(encoded.ToArray(), hash, read), isAsync: true, cancellationToken);
        return Conclude(key, encoded, hash, ref read) == Renewal.Open ? RenewAndReturnAsync(key, read, isAsync: true) : new ValueTask<BytesRead>(read);
    }

    /// <summary>Copies a value of the hot tier straight to where it shall go.</summary>
    /// <returns>False if the hot tier has no answer, or not in one piece; nothing has changed then.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryReadHot<TDestination>(ReadOnlySpan<byte> key, ulong hash, ref TDestination destination, out bool isHit)
        where TDestination : struct, IValueDestination
    {
        isHit = false;
        if (!TryFindHot(key, hash, out var copy, out ulong seen, out bool isOver) || copy.IsInChunks) return false;
        if (isOver)
        {
            CountHotExpired();
            return true;
        }

        var value = destination.Take(copy.Length);
        if (!_hot.TryCopy(in copy, value)) return false;
        if (copy.IsSliding && !TryRenewHot(key, hash, in copy, value, seen)) return false;
        destination.Complete(copy.Length);
        _hotHits.Increment();
        isHit = true;
        return true;
    }

    /// <summary>Looks for a copy that is the answer: alive, or over for good.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryFindHot(ReadOnlySpan<byte> key, ulong hash, out HotCopy copy, out ulong seen, out bool isOver)
    {
        isOver = false;
        if (!_hot.TryFind(key, hash, out copy, out seen)) return false;
        if (_disposed) ThrowIfDisposed();
        isOver = copy.Deadline != 0 && TimeOfJudgement.UtcTicks >= copy.Deadline;
        return !isOver || !copy.IsSliding; // else it may have been made of what was read before its life was prolonged: the log knows
    }

    /// <summary>Prolongs the life of an entry whose copy was read, if that is due.</summary>
    /// <returns>False if that takes a session, and there is none, or the key's row keeps being changed.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryRenewHot(ReadOnlySpan<byte> key, ulong hash, in HotCopy copy, ReadOnlySpan<byte> value, ulong seen)
    {
        var (newer, none) = (copy, ValueBuffer.None);
        FoundValue found = default;
        for (int attempt = 0; attempt < RenewalAttempts; attempt++)
        {
            if (!_hot.TryTake(in newer, ref found, ref none) || Renew(key, hash, in found.Header, value, hasStored: true, seen) != Renewal.Open) return true;
            if (!TryFindHot(key, hash, out newer, out seen, out bool isOver) || isOver) return true;
        }

        return false;
    }

    /// <summary>Looks into hot tier and log, and on the disk as far as it is in the page cache.</summary>
    /// <returns>False if something has to be waited for: the state says what.</returns>
    private bool TryReadInMemory(bool mayBlock, ReadOnlySpan<byte> key, ulong hash, ref BytesRead read)
    {
        bool isCopyDue = false;
        if (!TryReadHot(key, hash, ref read))
        {
            if (Rent(mayBlock) is not { } session) return false;
            try
            {
                ReadLog(session, key, hash, ref read);
                if (read.State == BytesReadState.Found) Judge(ref session.Counters, ref read);
                if (read.State == BytesReadState.Miss && !read.IsQuiet) session.Counters.Misses++;
                isCopyDue = IsCopyDue(session, hash, in read);
            }
            finally
            {
                _pool.Return(session);
            }
        }

        if (read.State == BytesReadState.AtChunks && TryReadChunksInMemory(mayBlock, ref read)) CountChunks(ref read);
        if (read.IsHit && isCopyDue) Fill(key, hash, in read);
        return read.State is BytesReadState.Hit or BytesReadState.Miss;
    }

    /// <summary>Reads the pieces of a value, if none of them is on the disk.</summary>
    private bool TryReadChunksInMemory(bool mayBlock, ref BytesRead read)
    {
        Span<byte> key = stackalloc byte[KeyText.ChunkKeyBytes];
        for (int i = 0; i < read.Found.Chunks.Count; i++)
        {
            var piece = PieceOf(in read, i, key, out ulong hash, out int length);
            if (!TryReadHot(key, hash, ref piece))
            {
                if (Rent(mayBlock) is not { } session) return false;
                bool isCopyDue;
                try
                {
                    ReadLog(session, key, hash, ref piece);
                    isCopyDue = IsCopyDue(session, hash, in piece);
                }
                finally
                {
                    _pool.Return(session);
                }

                if (isCopyDue && IsPiece(in piece, length)) Fill(key, hash, in piece);
            }

            if (!IsPiece(in piece, length)) return false;
            read.IsFromDisk |= piece.IsFromDisk;
            read.IsFromLog |= piece.IsFromLog;
        }

        return true;
    }

    private void CountChunks(ref BytesRead read)
    {
        if (read is { IsFromDisk: false, IsFromLog: false })
        {
            read.State = BytesReadState.Hit;
            if (!read.IsQuiet) _hotHits.Increment();
            return;
        }

        SessionCounters counters = default;
        CountHit(ref counters, ref read);
        Count(in counters);
    }

    /// <summary>Begins to read a piece of a value into its place.</summary>
    private BytesRead PieceOf(in BytesRead read, int chunk, Span<byte> key, out ulong hash, out int length)
    {
        (int offset, length) = read.Found.Chunks.Range(chunk);
        KeyText.EncodeChunk(read.Found.Chunks.Id, chunk, key);
        hash = _hasher.Hash(key);
        return new BytesRead(read.Buffer.Piece(offset, length), isQuiet: true);
    }

    private static bool IsPiece(in BytesRead piece, int length) =>
        piece.State is BytesReadState.Found or BytesReadState.Hit && piece.Found.Header.Kind == ValueKind.Chunk && piece.Buffer.Length == length;

    private BytesSession? Rent(bool mayBlock) => mayBlock ? _pool.Rent() : _pool.TryRent();

    private bool IsCopyDue(BytesSession session, ulong hash, in BytesRead read) =>
        read.State != BytesReadState.Miss && (read.IsFromDisk || ((!read.IsQuiet || read.Found.Header.Kind == ValueKind.Chunk) && IsCopyDue(session, hash)));

    /// <summary>Looks into the hot tier.</summary>
    /// <returns>Whether that was the answer, or its pieces have to be read.</returns>
    private bool TryReadHot(ReadOnlySpan<byte> key, ulong hash, ref BytesRead read)
    {
        if (!TryFindHot(key, hash, out var copy, out read.Seen, out bool isOver)) return false;
        if (isOver)
        {
            read.State = BytesReadState.Miss;
            if (!read.IsQuiet) CountHotExpired();
            return true;
        }

        if (!_hot.TryTake(in copy, ref read.Found, ref read.Buffer)) return false;
        read.State = NeedsChunks(ref read) ? BytesReadState.AtChunks : BytesReadState.Hit;
        if (read.IsHit && !read.IsQuiet) _hotHits.Increment();
        return true;
    }

    /// <summary>Asks the log. A record is copied without its latch; only if a key of its row was changed since the row's word was seen, it is read again with it.</summary>
    private void ReadLog(BytesSession session, ReadOnlySpan<byte> key, ulong hash, ref BytesRead read)
    {
        ulong settledMark = read.TracksOrigin ? SettledMark(hash) : 0;
        var lookup = session.Find(key, hash, isLatched: false, ref read.Found, ref read.Buffer);
        if (lookup is Lookup.Found or Lookup.Damaged && !_rows.IsUnchanged(hash, read.Seen)) lookup = session.Find(key, hash, isLatched: true, ref read.Found, ref read.Buffer);
        if (lookup is Lookup.NotFound or Lookup.OnDisk && !IsMissSure(key, hash, read.Seen)) lookup = FindAgain(session, key, hash, ref read);
        if (lookup == Lookup.OnDisk)
        {
            read.IsFromDisk = true;
            if (read.TracksOrigin) read.Origin = OriginOf(in session.Trail, settledMark);
            if (!session.TryReadDisk(key, ref read.Found, ref read.Buffer, out lookup))
            {
                read.Trail = session.Trail;
                read.State = BytesReadState.AtDisk;
                return;
            }
        }

        if (lookup == Lookup.Damaged) session.Counters.Corrupt++;
        read.IsFromLog |= lookup == Lookup.Found && !read.IsFromDisk;
        if (lookup == Lookup.Found && read.IsFromDisk) CountDiskHit(in read, in session.Trail);
        else if (lookup == Lookup.Found && !read.IsQuiet && !read.Found.IsInChunks) CountMemoryHit(hash);
        read.State = lookup == Lookup.Found ? BytesReadState.Found : BytesReadState.Miss;
    }

    /// <summary>
    /// Looks again for a key that neither hot tier nor log had, nor what the log has let go: it may have been stored in the log after it was looked for there, and before it was looked for where it was until then;
    /// or its copy, of which the log has nothing, was just being changed, or moved. Waits for the key's row, and for who fills where that may be it.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private Lookup FindAgain(BytesSession session, ReadOnlySpan<byte> key, ulong hash, ref BytesRead read)
    {
        var lookup = Lookup.NotFound;
        for (int attempt = 0; attempt < ChunkAttempts && lookup is Lookup.NotFound or Lookup.OnDisk; attempt++)
        {
            ulong seen = _rows.ReadUnlocked(hash);
            if (_hot.TryFind(key, hash, out var copy, out _) && _hot.TryTake(in copy, ref read.Found, ref read.Buffer)) return Lookup.Found;
            if (_hot.MayHave(key, hash) && _hot.TryTakeLocking(key, hash, ref read.Found, ref read.Buffer)) return Lookup.Found;
            lookup = session.Find(key, hash, isLatched: true, ref read.Found, ref read.Buffer);
            if (IsMissSure(key, hash, seen)) break;
        }

        return lookup;
    }

    /// <summary>Whether it counts that neither hot tier nor log had a key, nor what the log has let go.</summary>
    private bool IsMissSure(ReadOnlySpan<byte> key, ulong hash, ulong seen) => !_hot.MayHave(key, hash) && IsMissSure(hash, seen);

    /// <summary>Counts a hit on the disk, unless somebody only looked whether the entry is there, or its pieces are still to be read.</summary>
    private void CountDiskHit(in BytesRead read, in DiskTrail trail)
    {
        if (!read.IsQuiet && !read.Found.IsInChunks) CountDiskHit(in trail);
    }

    /// <summary>Counts a hit on the disk on a value in pieces: on all of it, whichever part came from there, since all of it stays or goes.</summary>
    private void CountDiskHitOnPieces(ulong hash, in BytesRead read)
    {
        if (_pool.TryRent() is not { } session) return; // who looks into FASTER's index without one does not keep it from being disposed
        bool isWorthy = IsHitOnPiecesWorthy(hash);
        _pool.Return(session);
        if (!isWorthy) return;
        Span<byte> key = stackalloc byte[KeyText.ChunkKeyBytes];
        bool isSettled = CountSettledHit(hash);
        for (int i = 0; i < read.Found.Chunks.Count; i++)
        {
            KeyText.EncodeChunk(read.Found.Chunks.Id, i, key);
            isSettled &= CountSettledHit(_hasher.Hash(key));
        }

        if (!isSettled) CountLogHit(read.Found.Chunks.Owner);
    }

    /// <summary>Judges and counts what was found: the read is over, or the pieces of the value have to be read.</summary>
    private void Judge(ref SessionCounters counters, ref BytesRead read)
    {
        if (IsOver(in read.Found.Header))
        {
            if (!read.IsQuiet) counters.Expired++;
            read.State = BytesReadState.Miss;
        }
        else if (NeedsChunks(ref read))
        {
            read.State = BytesReadState.AtChunks;
        }
        else
        {
            CountHit(ref counters, ref read);
        }
    }

    private static void CountHit(ref SessionCounters counters, ref BytesRead read)
    {
        read.State = BytesReadState.Hit;
        if (read.IsQuiet) return;
        if (read.IsFromDisk) counters.DiskHits++;
        else counters.MemoryHits++;
    }

    /// <summary>Whether the value lies in pieces that have to be read; makes room for them.</summary>
    private static bool NeedsChunks(ref BytesRead read)
    {
        if (!read.Found.IsInChunks) return false;
        read.Buffer.Take(read.Found.Chunks.Length);
        return read.Buffer.IsFilled;
    }

    /// <summary>Ends a read, with nothing held: looks among the entries that never leave, prolongs a life.</summary>
    /// <returns>Whether the life is still to be prolonged.</returns>
    private Renewal Conclude(string key, ReadOnlySpan<byte> encoded, ulong hash, ref BytesRead read)
    {
        if (read.IsHit)
        {
            if (read.Found.IsInChunks && !read.IsQuiet && (read.IsFromDisk || IsChoosy)) CountDiskHitOnPieces(hash, in read);
            if (read.Found.Header.IsSliding && !read.IsQuiet) return Renew(encoded, hash, in read.Found.Header, read.Stored, read.HasStored, read.Seen);
        }
        else if (_pinned.Find(key) is { } entry && !IsOver(entry.Header))
        {
            ReadPinned(entry, ref read);
        }

        return Renewal.Done;
    }

    private void ReadPinned(PinnedEntry entry, ref BytesRead read)
    {
        read.Found.TryTake(entry.Header, entry.Value, ref read.Buffer);
        read.State = BytesReadState.Hit;
        if (read.IsQuiet) return;
        entry.Renew(Now);
        Count(new SessionCounters { Misses = -1, MemoryHits = 1 }); // that there was none in the log was counted
    }

    private void Fill(ReadOnlySpan<byte> key, ulong hash, in BytesRead read)
    {
        if (!read.HasStored || (read.Buffer.IsCallers && !read.Found.Header.IsIntact(key, read.Stored))) return; // the caller may have changed it already
        _hot.TryFill(key, hash, in read.Found.Header, read.Stored, read.Seen);
    }

    private bool IsOver(in ValueHeader header) => header.Deadline != 0 && header.Lifetime.IsOver(TimeOfJudgement.UtcTicks);

    /// <summary>Counts what was done without a session in hand.</summary>
    private void Count(in SessionCounters counters)
    {
        var session = _pool.Rent();
        session.Counters += counters;
        _pool.Return(session);
    }
}
