using System.Diagnostics;
using System.Numerics;
using HybridCaching.Diagnostics;
using HybridCaching.HotTier;

namespace HybridCaching.Tiering;

/// <summary>When the log gets what only copies in the hot tier have. See docs/concurrency.md.</summary>
internal abstract partial class TieredStore<TSession, TReader>
{
    /// <summary>So often a row is looked at whose copies the log gets.</summary>
    private const int MostPerRow = 2 * HotRow.MaximumWays;

    /// <summary>So long housekeeping stores such copies in the log in one tick. It waits for no room.</summary>
    private static readonly TimeSpan LoggingPerTick = TimeSpan.FromMilliseconds(50);

    /// <summary>So often the log gets what only copies have, even if that need not be written so soon: a copy that is not used any more can be given up then.</summary>
    private static readonly TimeSpan LongestUnlogged = TimeSpan.FromSeconds(30);

    /// <summary>So long copies are looked for whose record was dropped.</summary>
    private static readonly TimeSpan LongestForLastCopies = TimeSpan.FromSeconds(5);

    /// <summary>Whether records left memory, at the last tick. A hint.</summary>
    protected bool _isTight;

    private long _ticksUntilLogged = Housekeeper.TicksPer(LongestUnlogged);
    private bool _isLogging;
    private int _rowToLog;

    /// <summary>What is stored goes into the log: a checkpoint is about to be written.</summary>
    private volatile bool _mustLog;

    /// <summary>Whether a copy may become the only place where its entry is: there is a disk, and records leave memory.</summary>
    protected bool MayBeUnlogged => !_mustLog && HasOutgrownMemory;

    /// <summary>Whether there may be copies whose record was dropped, or never written.</summary>
    private bool MayHaveLastCopies => HasDisk && (_mover is { HasDropped: true } || _sieve is { Withheld: > 0 } || Evictions > 0);

    /// <summary>The hash of the key of a copy. A hint: it may be another's, or nobody's, by now.</summary>
    protected abstract ulong HashOfCopy(int row, int way);

    /// <summary>Whether log or index of settled records may lead to a record of a key, or to one that is taken for it. For who has a session: else FASTER's index may be gone.</summary>
    protected bool IsLedTo(ulong hash) => _log.NewestInChain(hash) >= _log.BeginAddress || SettledMark(hash) != 0;

    /// <summary>Stores in the log what only a copy has.</summary>
    /// <param name="row">Its row.</param>
    /// <param name="way">Its way. If there is no such copy, nothing happens.</param>
    /// <param name="isLast">Whether a copy is meant whose record was dropped, or else one that the log was to get yet.</param>
    /// <param name="patience">How long to wait for room in the log.</param>
    /// <returns>False if there is no room.</returns>
    protected abstract bool TryLogCopy(int row, int way, bool isLast, TimeSpan patience);

    /// <summary>Stores in the log what only copies in the hot tier have, so that it comes to the disk.</summary>
    /// <param name="row">The row of the hot tier to begin with, and then to go on with.</param>
    /// <param name="mayGoOn">Asked before each.</param>
    /// <param name="patience">How long to wait for room in the log for each.</param>
    /// <returns>Whether it came to the last row.</returns>
    private bool LogCopies(ref int row, Func<bool> mayGoOn, TimeSpan patience)
    {
        for (; row < _rows.Rows; row++)
        {
            for (int left = MostPerRow; left > 0 && _rows.UnloggedOf(row) is > 0 and var ways; left--) // looked at again: they may move to another way
            {
                if (!mayGoOn() || !TryLogCopy(row, BitOperations.TrailingZeroCount(ways), isLast: false, patience)) return false;
            }
        }

        return true;
    }

    /// <summary>The same for all rows, as long as there is room within the disk timeout.</summary>
    private void LogCopies(Func<bool> mayGoOn)
    {
        int row = 0;
        if (_rows.UnloggedCopies > 0) LogCopies(ref row, mayGoOn, _settings.DiskTimeout);
    }

    /// <summary>The same, but where there was no room in time it is tried again while the disk gets on with what it writes.</summary>
    private void LogCopiesPatiently(Func<bool> mayGoOn)
    {
        if (_rows.UnloggedCopies == 0) return;
        int row = 0;
        var patience = new DiskPatience(() => _disk?.Device.WriteProgress ?? 0, Patience);
        while (!LogCopies(ref row, mayGoOn, _settings.DiskTimeout) && mayGoOn() && !patience.IsOver) patience.Wait();
    }

    /// <summary>Stores in the log copies whose record was dropped, since nothing but they were read: those that are used most. All copies are looked at, for some seconds at most: it is for the next process, and somebody waits for the end of this one.</summary>
    private void LogLastCopies(Func<bool> mayGoOn)
    {
        if (!MayHaveLastCopies) return;
        long start = Stopwatch.GetTimestamp();
        for (int row = 0; row < _rows.Rows && HasTime(); row++)
        {
            for (uint ways = LastCopiesOf(row); ways != 0 && HasTime(); ways &= ways - 1)
            {
                if (!TryLogCopy(row, BitOperations.TrailingZeroCount(ways), isLast: true, TimeLeft(start, LongestForLastCopies))) return;
            }
        }

        bool HasTime() => HasDisk && mayGoOn() && Stopwatch.GetElapsedTime(start) < LongestForLastCopies;
    }

    /// <summary>The ways of a row whose copies nothing leads to. A hint.</summary>
    private uint LastCopiesOf(int row)
    {
        uint ways = _rows.LoggedOf(row);
        if (ways == 0) return 0;
        Span<ulong> hashes = stackalloc ulong[HotRow.MaximumWays];
        uint last = 0;
        var session = _pool.Rent();
        try
        {
            for (uint left = ways; left != 0; left &= left - 1)
            {
                int way = BitOperations.TrailingZeroCount(left);
                _log.Prefetch(hashes[way] = HashOfCopy(row, way));
            }

            for (uint left = ways; left != 0; left &= left - 1)
            {
                int way = BitOperations.TrailingZeroCount(left);
                if (!IsLedTo(hashes[way])) last |= 1u << way;
            }
        }
        finally
        {
            _pool.Return(session);
        }

        return last;
    }

    /// <summary>Before all entries are looked at: stores in the log what only copies have, on a thread of its own.</summary>
    protected async Task LogCopiesAsync(CancellationToken cancellationToken)
    {
        if (_rows.UnloggedCopies == 0) return;
        var logging = OwnThread.Run(() => LogCopies(() => !cancellationToken.IsCancellationRequested));
        await logging.ObserveFaults().WaitAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <summary>The same in housekeeping, in turns of a tick each.</summary>
    /// <param name="isDue">Whether it is time to, whenever that was done last.</param>
    /// <returns>Whether the log has all there was when that began.</returns>
    private bool HasLoggedCopies(bool isDue)
    {
        if (!_isLogging && --_ticksUntilLogged > 0 && !isDue) return true;
        if (!_isLogging) _rowToLog = 0;
        long start = Stopwatch.GetTimestamp();
        _isLogging = _rows.UnloggedCopies > 0 && !LogCopies(ref _rowToLog, () => Stopwatch.GetElapsedTime(start) < LoggingPerTick && !_isClosing && !_isMovingPaused, TimeSpan.Zero);
        if (!_isLogging) _ticksUntilLogged = Housekeeper.TicksPer(LongestUnlogged);
        return !_isLogging;
    }

    /// <summary>Before a checkpoint is written: stores in the log what only copies have, and has nothing be there alone from now on. What that does not come to while the disk gives signs of life is a miss for the next process.</summary>
    /// <param name="mustGiveUp">Whether there is another reason to give up.</param>
    private void LogAllCopies(Func<bool> mustGiveUp)
    {
        _mustLog = true;
        Interlocked.MemoryBarrier(); // who locks its row from here on sees that
        _rows.WaitForWriters();
        if (_rows.UnloggedCopies == 0 && !MayHaveLastCopies) return;
        bool mustStop = false;
        var thread = Begin(() =>
        {
            try
            {
                LogCopiesPatiently(MayGoOn);
                LogLastCopies(MayGoOn);
            }
            catch (ObjectDisposedException)
            {
                // It was given up.
            }
            catch (Exception e)
            {
                Log.HousekeepingFailed(_logger, _settings.Name, e);
            }
        });
        if (!HasEnded(thread, Stopwatch.GetTimestamp(), mustGiveUp)) Volatile.Write(ref mustStop, true);

        bool MayGoOn() => !Volatile.Read(ref mustStop);
    }
}
