using System.Diagnostics;
using HybridCaching.Records;
using HybridCaching.Store;

namespace HybridCaching.Tiering;

internal sealed partial class TieredBytes
{
    /// <summary>How often a value is looked up whose pieces are gone because the key is being written.</summary>
    private const int ChunkAttempts = 3;

    private async ValueTask<BytesRead> WaitAndConcludeAsync(string key, ulong hash, BytesRead read, CancellationToken cancellationToken)
    {
        read = await WaitAsync(key, hash, read, isAsync: true, cancellationToken).ConfigureAwait(false);
        Conclude(key, KeyText.Encode(key), hash, ref read);
        return read;
    }

    /// <summary>Ends a read that has to wait: for a session, for the disk, for the pieces of a value. A call lasts as long as its token says, or the disk timeout where it carries none.</summary>
    /// <remarks>Without <paramref name="isAsync"/> the thread waits, and the result is there when this returns.</remarks>
    private async ValueTask<BytesRead> WaitAsync(string key, ulong hash, BytesRead read, bool isAsync, CancellationToken cancellationToken)
    {
        byte[] encoded = KeyText.Encode(key);
        var wait = new DiskWait(this, isAsync, cancellationToken);
        try
        {
            for (int attempt = 1; ; attempt++)
            {
                read = await FindAsync(encoded, hash, read, wait).ConfigureAwait(false);
                if (read.State == BytesReadState.Found) Judge(ref wait.Counters, ref read);
                if (read.State == BytesReadState.AtChunks)
                {
                    read = await ReadChunksAsync(read, wait).ConfigureAwait(false);
                    if (read.State == BytesReadState.Miss && attempt < ChunkAttempts && !_rows.IsUnchanged(hash, read.Seen))
                    {
                        read.Seen = _rows.ReadUnlocked(hash);
                        read.State = BytesReadState.AtLog;
                        continue;
                    }

                    if (read.State == BytesReadState.Found) CountHit(ref wait.Counters, ref read);
                }

                if (read.IsHit) Fill(encoded, hash, in read);
                else if (!read.IsQuiet && wait.IsTimeout) Interlocked.Increment(ref _readTimeouts);
                else if (!read.IsQuiet) wait.Counters.Misses++;
                return read;
            }
        }
        finally
        {
            wait.Dispose();
        }
    }

    /// <summary>Looks in the log and on the disk.</summary>
    private async ValueTask<BytesRead> FindAsync(ReadOnlyMemory<byte> key, ulong hash, BytesRead read, DiskWait wait)
    {
        if (read.State == BytesReadState.AtLog)
        {
            var session = wait.IsAsync ? await _pool.RentAsync(wait.CancellationToken).ConfigureAwait(false) : _pool.Rent();
            try
            {
                ReadLog(session, key.Span, hash, ref read);
            }
            finally
            {
                _pool.Return(session);
            }
        }

        if (read.State != BytesReadState.AtDisk) return read;
        Lookup lookup;
        if (!await wait.TakeReaderAsync().ConfigureAwait(false)) return TimedOut(read);
        while (!wait.Reader!.TryRead(key.Span, ref read.Trail, ref read.Found, ref read.Buffer, out lookup))
        {
            if (!await wait.PostAsync().ConfigureAwait(false)) return TimedOut(read);
        }

        if (lookup == Lookup.Damaged) wait.Counters.Corrupt++;
        if (lookup == Lookup.Found) CountDiskHit(in read, in read.Trail);
        read.State = lookup == Lookup.Found ? BytesReadState.Found : BytesReadState.Miss;
        return read;
    }

    private static BytesRead TimedOut(BytesRead read)
    {
        read.State = BytesReadState.Miss;
        return read;
    }

    /// <summary>Reads the pieces of a value into the room that was made for it. One that is missing makes the whole a miss.</summary>
    private async ValueTask<BytesRead> ReadChunksAsync(BytesRead read, DiskWait wait)
    {
        byte[] key = new byte[KeyText.ChunkKeyBytes];
        for (int i = 0; i < read.Found.Chunks.Count; i++)
        {
            var piece = PieceOf(in read, i, key, out ulong hash, out int length);
            bool isHot = TryReadHot(key, hash, ref piece);
            if (!isHot) piece = await FindAsync(key, hash, piece, wait).ConfigureAwait(false);
            if (!IsPiece(in piece, length))
            {
                read.State = BytesReadState.Miss;
                return read;
            }

            read.IsFromDisk |= piece.IsFromDisk;
            if (!isHot) Fill(key, hash, in piece);
        }

        read.State = BytesReadState.Found;
        return read;
    }

    /// <summary>One call's way of waiting for the disk: on its thread or not, until when, and the reader it has meanwhile. A patient call with a token waits until that says so, others until the disk timeout.</summary>
    private sealed class DiskWait(TieredBytes tiers, bool isAsync, CancellationToken cancellationToken, bool isPatient = true) : IDisposable
    {
        private readonly long _start = Stopwatch.GetTimestamp();

        /// <summary>Counts of this call.</summary>
        public SessionCounters Counters;

        public bool IsAsync => isAsync;

        public CancellationToken CancellationToken => cancellationToken;

        public BytesReader? Reader { get; private set; }

        /// <summary>Whether the time was over before the disk answered.</summary>
        public bool IsTimeout { get; private set; }

        private TimeSpan Left => isPatient && cancellationToken.CanBeCanceled ? Timeout.InfiniteTimeSpan : tiers.TimeLeft(_start);

        /// <summary>Waits for a reader, unless there is one already; false when the time is over.</summary>
        public async ValueTask<bool> TakeReaderAsync()
        {
            Reader ??= isAsync ? await tiers._readers.TakeAsync(Left, cancellationToken).ConfigureAwait(false) : tiers._readers.Take(Left);
            IsTimeout = Reader is null;
            return !IsTimeout;
        }

        /// <summary>Has the disk asked and waits for it; false when the time is over. The reader is then gone.</summary>
        public async ValueTask<bool> PostAsync()
        {
            try
            {
                if (!isAsync && Reader!.PostAndWait(Left)) return true;
                if (isAsync && await PostAndWaitAsync().ConfigureAwait(false)) return true;
            }
            catch (OperationCanceledException)
            {
                Abandon();
                throw;
            }

            Abandon();
            IsTimeout = true;
            return false;
        }

        private ValueTask<bool> PostAndWaitAsync()
        {
            Reader!.Post();
            return Reader.WaitAsync(Left, cancellationToken);
        }

        /// <summary>Hands the counts over and gives the reader back.</summary>
        public void Dispose()
        {
            tiers._readers.Count(in Counters);
            if (Reader is not null) tiers._readers.Return(Reader);
        }

        private void Abandon()
        {
            tiers._readers.Abandon(Reader!);
            Reader = null;
        }
    }
}
