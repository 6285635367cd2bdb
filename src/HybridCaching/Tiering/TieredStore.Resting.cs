using System.Diagnostics;
using HybridCaching.Diagnostics;

namespace HybridCaching.Tiering;

/// <summary>A checkpoint while the cache stays open. See docs/concurrency.md.</summary>
internal abstract partial class TieredStore<TSession, TReader>
{
    /// <summary>Guards <see cref="_isResting"/>.</summary>
    private readonly Lock _resting = new();

    /// <summary>There is a valid checkpoint, all sessions are held, and nothing has changed since. The first who wants a session ends that.</summary>
    private bool _isResting;

    /// <summary>
    /// Writes a checkpoint and rests: if the process ends now, the next one finds everything. Calls that need the log wait meanwhile, no longer than the disk timeout; the first one afterwards makes the
    /// checkpoint void and goes on. Never throws.
    /// </summary>
    /// <returns>Whether there is a checkpoint.</returns>
    public Task<bool> CheckpointAsync(CancellationToken cancellationToken) =>
        OwnThread.Run(() => RestWithCheckpoint(cancellationToken));

    private bool RestWithCheckpoint(CancellationToken cancellationToken)
    {
        lock (_disposing)
        {
            if (_disposed || _disk is not { UnavailableReason: null } disk) return false;
            if (IsResting) return true;
            disk.Device.BeginWritingAll();
            try
            {
                LogAllCopies(() => cancellationToken.IsCancellationRequested);
                return SettleAndRest(disk, cancellationToken);
            }
            finally
            {
                _mustLog = false;
                disk.Device.EndWritingAll();
            }
        }
    }

    private bool SettleAndRest(DiskTier disk, CancellationToken cancellationToken)
    {
        if (WhyNotSettled(cancellationToken) is { } reason)
        {
            Log.NoCheckpoint(_logger, _settings.Name, reason);
            return false;
        }

        lock (_keeping)
        {
            if (disk.UnavailableReason is not null) return false; // given up meanwhile: the folder may be another's
            _isMovingPaused = true;
            bool isMoving = !_moving.TryEnter(_settings.DiskTimeout);
            try
            {
                if (!isMoving) return HoldAndTakeCheckpoint(disk, cancellationToken);
                Log.NoCheckpoint(_logger, _settings.Name, "records were still being moved");
                return false;
            }
            finally
            {
                _isMovingPaused = false;
                if (!isMoving) _moving.Exit();
            }
        }
    }

    /// <summary>Settles what was written so far, before anybody has to wait for that.</summary>
    /// <returns>Null, or why it did not come to that.</returns>
    private string? WhyNotSettled(CancellationToken cancellationToken)
    {
        string? problem = null;
        long start = Stopwatch.GetTimestamp();
        if (_givenUp is { } earlier && !HasEnded(earlier, start, () => HasNoTime() || Stopwatch.GetElapsedTime(start) > Patience)) return "an earlier one still waits for the disk"; // whatever else the disk does meanwhile
        var settling = Begin(() =>
        {
            try
            {
                TakeTurnAndSettleTo(_log.FlushedUntilAddress);
            }
            catch (Exception e)
            {
                problem = e.Message;
            }
        });
        if (HasEnded(settling, Stopwatch.GetTimestamp(), HasNoTime, () => MovingProgress)) return problem;
        _givenUp = settling;
        return "what was written was still being looked through";

        bool HasNoTime() => cancellationToken.IsCancellationRequested;
    }

    private bool HoldAndTakeCheckpoint(DiskTier disk, CancellationToken cancellationToken)
    {
        if (!_pool.TryHold(_settings.DiskTimeout, cancellationToken))
        {
            Log.NoCheckpoint(_logger, _settings.Name, "calls were still running");
            return false;
        }

        bool taken = false;
        try
        {
            DropForIndexFile(disk); // here, where the sessions are surely held
            Fault.Point("rest.held");
            taken = TryTakeCheckpoint(disk, cancellationToken);
            lock (_resting) _isResting = taken;
            Fault.Point("rest.begun");
        }
        finally
        {
            if (!taken) _pool.Release();
        }

        if (taken && _pool.IsWaitedFor) WakeUpFromRest();
        return taken;
    }

    /// <summary>Makes the checkpoint void and lets the sessions out again. If the disk does not let its manifest go within its timeout, that goes on by itself, and the next checkpoint waits for it.</summary>
    private void WakeUpFromRest()
    {
        lock (_resting)
        {
            if (!_isResting) return;
            _isResting = false;
            try
            {
                VoidCheckpoint(_disk!, _settings.DiskTimeout);
                Fault.Point("rest.ended");
            }
            finally
            {
                _pool.Release();
            }
        }
    }

    /// <summary>Makes a checkpoint void.</summary>
    /// <param name="disk">The disk it is on.</param>
    /// <param name="patience">How long to wait for its manifest to go.</param>
    private void VoidCheckpoint(DiskTier disk, TimeSpan patience)
    {
        disk.OutdateCheckpoint();
        bool isVoid = false;
        bool hasEnded = HasEndedInTime(
            () =>
            {
                if (disk.Checkpoints.WhyNotInvalidated() is { } problem) Log.CheckpointRemains(_logger, _settings.Name, problem, disk.WhenCheckpointCounts);
                else isVoid = true;
            },
            patience);
        if (hasEnded && isVoid) HasEndedInTime(disk.Checkpoints.TryDeleteRecovered, TimeSpan.Zero); // its files may be longer than there is room for beside what is stored from now on
        if (!hasEnded && patience > TimeSpan.Zero) Log.CheckpointRemains(_logger, _settings.Name, "the disk does not answer", disk.WhenCheckpointCounts);
    }

    /// <summary>Takes a checkpoint, unless the disk hangs, somebody waits too long for it to end, or the token says so. Then it may go on, but will not count: if its manifest is already on its way to its place, it is void when it is there.</summary>
    private bool TryTakeCheckpoint(DiskTier disk, CancellationToken cancellationToken)
    {
        string? problem, result = null;
        long waitedForSince = 0;
        var commit = new CheckpointCommit();
        var thread = Begin(() => result = TakeCheckpoint(disk, commit));
        if (!HasEnded(thread, Stopwatch.GetTimestamp(), MustGiveUp) && commit.TryGiveUp(out bool isOnItsWay))
        {
            _givenUp = thread;
            problem = cancellationToken.IsCancellationRequested ? "there was no time for it" : "the disk did not write it in time";
            if (isOnItsWay) VoidCheckpoint(disk, disk.IsWarm && _pool.IsWaitedFor ? TimeSpan.Zero : _settings.DiskTimeout);
        }
        else
        {
            thread.Join();
            problem = result;
            if (problem is not null && commit.HasBegun) VoidCheckpoint(disk, _settings.DiskTimeout); // the manifest may be in its place all the same
        }

        if (problem is not null) Log.NoCheckpoint(_logger, _settings.Name, problem);
        return problem is null;

        bool MustGiveUp()
        {
            if (cancellationToken.IsCancellationRequested) return true;
            if (!_pool.IsWaitedFor) return false;
            if (waitedForSince == 0) waitedForSince = Stopwatch.GetTimestamp();
            return Stopwatch.GetElapsedTime(waitedForSince) > _settings.DiskTimeout;
        }
    }
}
