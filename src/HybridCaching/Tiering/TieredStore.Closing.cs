using System.Diagnostics;
using System.Runtime.ExceptionServices;
using HybridCaching.Diagnostics;

namespace HybridCaching.Tiering;

internal abstract partial class TieredStore<TSession, TReader>
{
    /// <summary>How long Dispose waits for calls that are running, and for a disk that gives no sign of life.</summary>
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(5);

    private static readonly TimeSpan LookInterval = TimeSpan.FromMilliseconds(20);

    private readonly Lock _disposing = new();

    /// <summary>Housekeeping and checkpoints exclude each other.</summary>
    private readonly Lock _keeping = new();

    /// <summary>A checkpoint that was given up, and may still be on its way.</summary>
    private volatile Thread? _givenUp;

    /// <summary>Whether there is a checkpoint that still counts.</summary>
    private bool _hasCheckpoint;

    /// <summary>Whether a thread of its own is closing everything.</summary>
    private bool _isFinishing;

    /// <summary>Waits for running calls, takes a checkpoint and closes everything. Calls that come later throw. If the thread is interrupted while it waits, another one goes on.</summary>
    public void Dispose()
    {
        lock (_disposing)
        {
            if (_disposed) return;
            _disposed = true;
            try
            {
                Close();
            }
            catch (ThreadInterruptedException) when (!_isFinishing)
            {
                Begin(() => Late(Close));
                throw;
            }
        }
    }

    /// <summary>Frees what a constructor has opened before it failed: threads, files, the folder. Not what hangs with the disk. Never throws.</summary>
    protected void CloseHalfOpened()
    {
        _disposed = true;
        _isClosing = true;
        if (!((_housekeeper?.Stop(Patience) ?? true) & (_reclaimer?.Stop(Patience) ?? true))) return;
        var closing = Begin(() =>
        {
            foreach (var part in (IDisposable?[])[_viewer, _log, _disk])
            {
                try
                {
                    part?.Dispose();
                }
                catch (Exception)
                {
                    // It was half opened. Why the constructor failed is what the caller has to know.
                }
            }
        });
        HasEnded(closing, Stopwatch.GetTimestamp(), static () => false);
    }

    private void Close()
    {
        lock (_resting)
        {
            _hasCheckpoint |= _isResting;
            _isResting = false; // nobody shall let the sessions out any more
        }

        _disk?.Device.BeginWritingAll();
        if (!_hasCheckpoint) LogAllCopies(static () => false);
        _isClosing = true;
        bool isQuiet = IsQuiet();
        Fault.Point("close.drained");
        if (!isQuiet)
        {
            Log.ClosedWithoutCheckpoint(_logger, _settings.Name, "calls were still waiting for the disk");
            Begin(() => Late(FinishOnceQuiet));
            return;
        }

        _isFinishing = true;
        ExceptionDispatchInfo? failure = null;
        var thread = Begin(() =>
        {
            try
            {
                Finish();
            }
            catch (Exception e)
            {
                failure = ExceptionDispatchInfo.Capture(e);
            }
        });
        if (HasEnded(thread, Stopwatch.GetTimestamp(), static () => false)) failure?.Throw();
        else Log.ClosedWithoutCheckpoint(_logger, _settings.Name, "the disk does not answer");
    }

    /// <summary>Waits until nobody is at work in the cache any more; false if somebody still was when patience was over: then it may be called again.</summary>
    private bool IsQuiet()
    {
        long start = Stopwatch.GetTimestamp();
        return _housekeeper.Stop(Patience) & (_reclaimer?.Stop(Patience) ?? true) & _pool.Drain(TimeLeft(start, Patience)) & _readers.Drain(TimeLeft(start, Patience)) & HasSettlingEnded(TimeLeft(start, Patience));
    }

    /// <summary>Somebody still waits inside FASTER: closing it under them would crash the process. Closes it when they have come back, which may be never; until then the folder stays locked.</summary>
    private void FinishOnceQuiet()
    {
        while (!IsQuiet())
        {
            // It waits.
        }

        Finish();
    }

    /// <summary>Closes on a thread that nobody waits for.</summary>
    private void Late(Action close)
    {
        try
        {
            close();
        }
        catch (Exception e)
        {
            Log.ClosedWithoutCheckpoint(_logger, _settings.Name, e.Message); // nobody else would hear of it
        }
    }

    /// <summary>A flush that has given its session back may still settle what it has written. Whoever comes to it from now on sees that the cache is closing.</summary>
    private bool HasSettlingEnded(TimeSpan timeout)
    {
        if (!_moving.TryEnter(timeout)) return false;
        _moving.Exit();
        return true;
    }

    private void Finish()
    {
        _givenUp?.Join();
        if (_disk is { UnavailableReason: null } disk)
        {
            string? problem = null;
            if (!_hasCheckpoint)
            {
                DropForIndexFile(disk);
                problem = TakeCheckpoint(disk, new CheckpointCommit());
            }

            if (problem is not null) Log.ClosedWithoutCheckpoint(_logger, _settings.Name, problem);
            else disk.DeleteState();
        }

        _viewer?.Dispose();
        _log.Dispose();
        Fault.Point("close.log-closed");
        _disk?.Dispose();
        Fault.Point("close.end");
    }

    /// <summary>Runs work that may hang with the disk, on a thread of its own: those of the pool may all be waiting for us.</summary>
    private Thread Begin(Action work)
    {
        var thread = new Thread(() => work()) { IsBackground = true, Name = $"{_settings.Name}-closing" };
        thread.Start();
        return thread;
    }

    /// <summary>Begins work at the disk, after what was given up before, and gives it up when the time is over: it goes on by itself, and the next checkpoint waits for it.</summary>
    private bool HasEndedInTime(Action work, TimeSpan patience)
    {
        var earlier = _givenUp;
        var thread = Begin(() =>
        {
            earlier?.Join();
            work();
        });
        _givenUp = thread;
        return thread.Join(patience);
    }

    /// <summary>Waits for work at the disk as long as the disk gives signs of life; false if it was given up.</summary>
    /// <param name="thread">What does the work.</param>
    /// <param name="start">From when on the disk has to give signs of life.</param>
    /// <param name="mustGiveUp">Whether there is another reason to give up.</param>
    /// <param name="signs">Changes with each sign of life; null if whatever the disk does is one.</param>
    private bool HasEnded(Thread thread, long start, Func<bool> mustGiveUp, Func<long>? signs = null)
    {
        long seen = -1;
        while (!thread.Join(LookInterval))
        {
            long progress = signs is null ? _disk?.Progress ?? 0 : signs();
            if (progress != seen && seen >= 0) start = Stopwatch.GetTimestamp();
            seen = progress;
            if (mustGiveUp() || Stopwatch.GetElapsedTime(start) > Patience) return false;
        }

        return true;
    }

    /// <returns>Null, or why there is no checkpoint.</returns>
    private string? TakeCheckpoint(DiskTier disk, CheckpointCommit commit)
    {
        long start = Stopwatch.GetTimestamp();
        using var activity = _instruments.StartActivity("hybridcaching.checkpoint");
        Fault.Point("checkpoint.begin");
        string? problem = WhyNoCheckpoint(disk, commit.TryBegin);
        if (problem is null && !commit.TryEnd()) problem = "it was given up";
        _instruments.EndCheckpoint(start, problem is null);
        if (problem is null) Log.CheckpointTaken(_logger, _settings.Name, CountEverywhere, (long)Stopwatch.GetElapsedTime(start).TotalMilliseconds);
        return problem;
    }

    private string? WhyNoCheckpoint(DiskTier disk, Func<bool> mayCommit)
    {
        try
        {
            disk.NoteTime();
            if (!_log.TakeCheckpoint()) return "another checkpoint was running";
            Fault.Point("checkpoint.after-log");
            if (!disk.IsEndWritten(_log)) return "the end of the log could not be written";
            SettleTo(_log.TailAddress);
            Fault.Point("checkpoint.after-settled");
            return disk.WriteCheckpoint(_log, _settler?.SettledTo ?? 0, CountThere, SavePinned(), mayCommit);
        }
        catch (Exception e)
        {
            return e.Message;
        }
    }

    /// <summary>An index that grew beyond what was planned takes its place on the disk from what is free there, then from the oldest entries.</summary>
    private void DropForIndexFile(DiskTier disk)
    {
        disk.Checkpoints.IndexFileBytes = _log.IndexFileBytes;
        long free = _settled?.FreeSegments ?? _plan.Segments - (_log.TailAddress / _plan.SegmentBytes) + (_log.BeginAddress / _plan.SegmentBytes) - 1;
        long excess = disk.Checkpoints.IndexFileBytes - _plan.IndexFileLimit - (Math.Max(0, free - 1) * _plan.SegmentBytes);
        for (; excess > 0 && _settled?.TryDropOldest() == true; excess -= _plan.SegmentBytes)
        {
        }

        if (excess > 0) DropBefore(Math.Min(_log.TailAddress, ((_log.BeginAddress + excess) / _plan.SegmentBytes + 1) * _plan.SegmentBytes), evenInMemory: true);
    }
}
