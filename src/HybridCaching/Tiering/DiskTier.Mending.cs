using HybridCaching.Devices;
using HybridCaching.Diagnostics;

namespace HybridCaching.Tiering;

internal sealed partial class DiskTier
{
    /// <summary>How many times in a row the folder has to fail before it is given up: what it holds is lost by that.</summary>
    private const int FailuresUntilGivenUp = 2;

    /// <summary>
    /// What says nothing against files that are open. The disk is full: ENOSPC, EDQUOT on Linux and on macOS; ERROR_HANDLE_DISK_FULL and ERROR_DISK_FULL on Windows. The process, or the system, has too many files open, or no memory:
    /// ENFILE, EMFILE, ENOMEM; ERROR_TOO_MANY_OPEN_FILES.
    /// </summary>
    private static readonly int[] HarmlessErrors = [28, 122, 69, unchecked((int)0x80070027), unchecked((int)0x80070070), 23, 24, 12, unchecked((int)0x80070004)];

    /// <summary>Guards giving up, taking over and the end against one another; never held during I/O.</summary>
    private readonly Lock _changing = new();
    private readonly List<IDisposable> _left = [];
    private readonly RepeatedMessage _losses = new(Housekeeper.TicksPerMinute);
    private string? _mount;
    private volatile bool _isLooking;
    private volatile bool _works;
    private volatile string? _verdict;
    private int _failures;
    private int _ticksUntilLook;
    private bool _wasTrouble;
    private long _timesLost;
    private volatile bool _isLossSaid = true;
    private bool _disposed;

    /// <summary>
    /// Looks after the folder: whether it is still there, whether it works when it seems not to, whether it can be had when it could not. Called four times a second by one caller at a time, not during a checkpoint; what may hang
    /// with the disk is done by a thread of its own, which this does not wait for.
    /// </summary>
    /// <param name="watch">Knows whether there is trouble.</param>
    public void Keep(DiskWatch watch)
    {
        if (_works)
        {
            _works = false;
            watch.Works();
        }

        if (_verdict is { } verdict)
        {
            _verdict = null;
            Lose(verdict);
        }

        if (UnavailableReason is { } reason && _losses.Due(_timesLost) > 0)
        {
            Log.DirectoryUnavailable(_logger, _settings.Name, reason);
            _isLossSaid = true;
        }

        bool isTrouble = watch.Trouble is not null;
        bool isNew = isTrouble && !_wasTrouble;
        _wasTrouble = isTrouble;
        _ticksUntilLook--;
        if (_isLooking || (_ticksUntilLook > 0 && !(isNew && _failures == 0))) return; // two failures shall lie some seconds apart
        _ticksUntilLook = Housekeeper.TicksPerTakeOver;
        var thread = new Thread(() => Look(isTrouble)) { IsBackground = true, Name = $"{_settings.Name}-folder" };
        _isLooking = true;
        try
        {
            thread.UnsafeStart();
        }
        catch
        {
            _isLooking = false; // the system has no thread for it: at the next tick again
            throw;
        }
    }

    private void Look(bool isTrouble)
    {
        try
        {
            CloseWhatWasLeft();
            if (UnavailableReason is null) Test(isTrouble);
            else TryTakeOver();
        }
        finally
        {
            _isLooking = false;
        }
    }

    private void Test(bool isTrouble)
    {
        if (_folder is not { } folder) return;
        try
        {
            if (!folder.IsStillThere())
            {
                _verdict = $"'{folder.Path}' is not there any more, or not this cache's";
                return;
            }

            if (isTrouble)
            {
                Device.ThrowIfProbeFails();
                folder.Probe();
                _works = true;
            }

            _failures = 0;
        }
        catch (Exception e)
        {
            // Whatever it is: nobody else would catch it. A disk that is full still has what it has, and room as soon as the oldest leaves.
            _failures = e is OutOfMemoryException || HarmlessErrors.Contains(e.HResult) ? 0 : _failures + 1;
            if (_failures >= FailuresUntilGivenUp) _verdict = ReasonOf(e);
        }
    }

    /// <summary>Gives the folder up: what is in it is lost, what is stored from now on stays in memory. Its files are closed, by another thread, so that the disk can be taken away.</summary>
    private void Lose(string reason)
    {
        lock (_changing)
        {
            if (_disposed || UnavailableReason is not null) return;
            UnavailableReason = reason;
            Forgo("its folder was lost");
            if (Device.Detach() is { } files) _left.Add(files);
            if (_folder is not null) _left.Add(_folder);
            _folder = null;
            _failures = 0;
            _timesLost++;
            _isLossSaid = false;
            _ticksUntilLook = 0;
        }
    }

    /// <summary>Tries again to take the folder. What this process has set or removed meanwhile is newer than the files, so they are wiped.</summary>
    private void TryTakeOver()
    {
        CacheFolder? folder = null;
        try
        {
            Device.ThrowIfProbeFails();
            folder = OpenFolder();
            folder.Probe();
            Checkpoints.Folder = folder;
            Fault.Point("takeover.folder-taken");
            Checkpoints.Wipe();
            Fault.Point("takeover.wiped");
            var files = Checkpoints.LogFiles(_settings.IsDirect);
            lock (_changing)
            {
                if (_disposed) return; // nobody but this method gives the folder free before that: while it was wiped it was no other's
                Attach(files);
                _folder = folder;
                folder = null;
            }

            UnavailableReason = null;
            _works = true;
            if (_isLossSaid) Log.DirectoryTakenOver(_logger, _settings.Name, Folder);
        }
        catch (Exception e)
        {
            UnavailableReason = ReasonOf(e);
        }
        finally
        {
            folder?.Dispose();
        }
    }

    /// <summary>Closes what was given up, which may hang with the disk.</summary>
    private void CloseWhatWasLeft()
    {
        IDisposable[] left;
        lock (_changing)
        {
            left = [.. _left];
            _left.Clear();
        }

        foreach (var one in left) one.Dispose();
    }
}
