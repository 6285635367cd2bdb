using System.Diagnostics;
using System.Runtime.CompilerServices;
using HybridCaching.Records;
using HybridCaching.Store;

namespace HybridCaching.Tiering;

internal sealed partial class TieredBytes
{
    /// <summary>How often a value is looked up whose pieces are gone because the key is being written.</summary>
    private const int ChunkAttempts = 3;

    /// <summary>Ends a read that has to wait: for a session, for the disk, for the pieces of a value. For the disk it waits no longer than the disk timeout, or until the token is cancelled.</summary>
    /// <remarks>Without <paramref name="isAsync"/> the thread waits, and the result is there when this returns.</remarks>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<BytesRead> WaitAndConcludeAsync(string key, KeyRead it, bool isAsync, CancellationToken cancellationToken)
    {
        using (var wait = new DiskWait(this, isAsync, cancellationToken))
        {
            for (int attempt = 1; ; attempt++)
            {
                await FindAsync(it, wait).ConfigureAwait(false);
                if (it.Read.State == BytesReadState.Found) Judge(ref wait.Counters, ref it.Read);
                if (it.Read.State == BytesReadState.AtChunks)
                {
                    await ReadChunksAsync(it, wait).ConfigureAwait(false);
                    if (it.Read.State == BytesReadState.Miss && attempt < ChunkAttempts && !_rows.IsUnchanged(it.Hash, it.Read.Seen))
                    {
                        it.Read.Seen = _rows.ReadUnlocked(it.Hash);
                        it.Read.State = BytesReadState.AtLog;
                        continue;
                    }

                    if (it.Read.State == BytesReadState.Found) CountHit(ref wait.Counters, ref it.Read);
                }

                if (wait.IsTimeout && !it.Read.IsHit) CountTimeout(in it.Read);
                else EndWait(it, ref wait.Counters);
                break;
            }
        }

        return Conclude(key, it.Key, it.Hash, ref it.Read) == Renewal.Open ? await RenewAndReturnAsync(key, it.Read, isAsync).ConfigureAwait(false) : it.Read;
    }

    /// <summary>Looks in the log and on the disk.</summary>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask FindAsync(KeyRead it, DiskWait wait)
    {
        if (it.Read.State == BytesReadState.AtLog)
        {
            var session = wait.IsAsync ? await _pool.RentAsync(wait.CancellationToken).ConfigureAwait(false) : _pool.Rent();
            try
            {
                ReadLog(session, it.Key, it.Hash, ref it.Read);
            }
            finally
            {
                _pool.Return(session);
            }
        }

        if (it.Read.State != BytesReadState.AtDisk) return;
        bool isInTime = await wait.TakeReaderAsync().ConfigureAwait(false);
        while (isInTime && !TryReadDisk(wait.Reader!, it, ref wait.Counters)) isInTime = wait.HasEnded(await wait.PostAsync().ConfigureAwait(false));
        if (!isInTime) it.Read.State = BytesReadState.Miss;
    }

    /// <summary>Looks on the disk, as far as that need not be waited for.</summary>
    /// <returns>False if it has to be.</returns>
    private bool TryReadDisk(BytesReader reader, KeyRead it, ref SessionCounters counters)
    {
        if (!reader.TryRead(it.Key, ref it.Read.Trail, ref it.Read.Found, ref it.Read.Buffer, out var lookup)) return false;
        if (lookup == Lookup.Damaged) counters.Corrupt++;
        if (lookup == Lookup.Found) CountDiskHit(in it.Read, in it.Read.Trail);
        it.Read.State = lookup == Lookup.Found ? BytesReadState.Found : BytesReadState.Miss;
        return true;
    }

    /// <summary>What was waited for is a hit or a miss.</summary>
    private void EndWait(KeyRead it, ref SessionCounters counters)
    {
        if (it.Read.IsHit) Fill(it.Key, it.Hash, in it.Read);
        else if (!it.Read.IsQuiet) counters.Misses++;
    }

    private void CountTimeout(in BytesRead read)
    {
        if (!read.IsQuiet) Interlocked.Increment(ref _readTimeouts);
    }

    /// <summary>Reads the pieces of a value into the room that was made for it. One that is missing makes the whole a miss.</summary>
    private async ValueTask ReadChunksAsync(KeyRead it, DiskWait wait)
    {
        var piece = new KeyRead(new byte[KeyText.ChunkKeyBytes], hash: 0, default);
        for (int i = 0; i < it.Read.Found.Chunks.Count; i++)
        {
            piece.Read = PieceOf(in it.Read, i, piece.Key, out ulong hash, out int length);
            piece.Hash = hash;
            bool isHot = TryReadHot(piece.Key, hash, ref piece.Read);
            if (!isHot) await FindAsync(piece, wait).ConfigureAwait(false);
            if (!IsPiece(in piece.Read, length))
            {
                it.Read.State = BytesReadState.Miss;
                return;
            }

            it.Read.IsFromDisk |= piece.Read.IsFromDisk;
            if (!isHot) Fill(piece.Key, hash, in piece.Read);
        }

        it.Read.State = BytesReadState.Found;
    }

    /// <summary>One call's way of waiting for the disk: on its thread or not, until when, and the reader it has meanwhile.</summary>
    /// <remarks>A call with a token that can be cancelled may take as long as the disk gets on: its time counts from the last answer.</remarks>
    private sealed class DiskWait(TieredBytes tiers, bool isAsync, CancellationToken cancellationToken) : IDisposable
    {
        private long _start = Stopwatch.GetTimestamp();
        private bool _isUnderWay;

        /// <summary>Counts of this call.</summary>
        public SessionCounters Counters;

        public bool IsAsync => isAsync;

        public CancellationToken CancellationToken => cancellationToken;

        public BytesReader? Reader { get; private set; }

        /// <summary>Whether the time was over before the disk answered.</summary>
        public bool IsTimeout { get; private set; }

        private TimeSpan Left => tiers.TimeLeft(_start);

        /// <summary>Waits for a reader, unless there is one already; false when the time is over.</summary>
        public async ValueTask<bool> TakeReaderAsync()
        {
            Reader ??= isAsync ? await tiers._readers.TakeAsync(Left, cancellationToken).ConfigureAwait(false) : tiers._readers.Take(Left);
            IsTimeout = Reader is null;
            return !IsTimeout;
        }

        /// <summary>Has the disk asked and waits for it. What comes of that has to be told to <see cref="HasEnded"/>.</summary>
        public ValueTask<bool> PostAsync()
        {
            _isUnderWay = true;
            if (!isAsync) return new ValueTask<bool>(Reader!.PostAndWait(Left));
            Reader!.Post();
            return Reader.WaitAsync(Left, cancellationToken);
        }

        /// <returns>False when the time was over before that; the reader is then gone.</returns>
        public bool HasEnded(bool isInTime)
        {
            if (!isInTime) Abandon();
            else if (cancellationToken.CanBeCanceled) _start = Stopwatch.GetTimestamp();
            _isUnderWay = false;
            IsTimeout = !isInTime;
            return isInTime;
        }

        /// <summary>Hands the counts over and gives the reader back, if need be once its read has ended.</summary>
        public void Dispose()
        {
            if (_isUnderWay) Abandon();
            if (Reader is null)
            {
                tiers._readers.Count(in Counters);
                return;
            }

            Reader.Counters += Counters;
            tiers._readers.Return(Reader);
        }

        private void Abandon()
        {
            tiers._readers.Abandon(Reader!);
            Reader = null;
        }
    }
}
