using HybridCaching.Devices;
using HybridCaching.Diagnostics;
using HybridCaching.Recovery;
using HybridCaching.Store;

namespace HybridCaching.Tiering;

/// <summary>How the next process finds what this one leaves if it ends without closing the cache.</summary>
internal sealed partial class DiskTier
{
    /// <summary>How long a start waits for the folders of others, which may be on a disk that hangs.</summary>
    private static readonly TimeSpan LookPatience = TimeSpan.FromSeconds(1);

    private volatile bool _isForgone;

    private long TableBytes => _plan.SettledTables.Sum(static t => t.ReservedBytes);

    /// <summary>Where the log is to begin whose folder was not closed; null for a folder that was, or is empty.</summary>
    public long? ResumesAt { get; private set; }

    /// <summary>Whether what is on the disk is found again after a sudden end of the process.</summary>
    public bool IsWarm => !_isForgone && Device.State!.IsShared;

    /// <summary>What makes a checkpoint count that could not be deleted; part of a sentence.</summary>
    public string WhenCheckpointCounts => IsWarm ? "the machine loses power, or the container its /dev/shm," : "the process ends";

    /// <summary>What of the cache itself outlives the process: its tag markers.</summary>
    public LiveNotes Notes => new(Device.State!);

    /// <summary>From now on, a process that finds the folder as it is goes on with what the log's state leads to; a checkpoint counts no more, for what it describes changes.</summary>
    /// <param name="log">The log, as it was opened.</param>
    /// <exception cref="IOException">The folder cannot be changed, and the settings want to know.</exception>
    public void Announce(HybridLog log)
    {
        if (_folder is null) return;
        try
        {
            AnnounceState(_folder, log);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            if (_settings.ThrowWhenDirectoryUnavailable) throw Unavailable(e);
            Lose(ReasonOf(e));
            Log.DirectoryUnavailable(_logger, _settings.Name, UnavailableReason!);
        }
    }

    private void AnnounceState(CacheFolder folder, HybridLog log)
    {
        var state = Device.State!;
        NoteTime();
        if (ResumesAt is null)
        {
            CheckpointFiles.DeleteLiveState(folder);
            Checkpoints.DeleteLive();
            if (IsWarm) WriteLive(Describe(log) with { LiveState = state.Name, IndexFileBytes = _plan.IndexBytes });
            Fault.Point("live.written");
        }

        if (TableBytes == 0) Log.NotWarmAfterKill(_logger, _settings.Name, "its DiskBudget is too small to keep what the log lets go");
        OutdateCheckpoint();
        Checkpoints.Invalidate();
        Fault.Point("recovery.manifest-void");
    }

    /// <summary>A disk that is full has no room for it, and still has what it has.</summary>
    private void WriteLive(Manifest live)
    {
        try
        {
            Checkpoints.WriteLive(live);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            Forgo(ReasonOf(e));
        }
    }

    /// <summary>From here on the log may change. Said in memory, which needs no disk: if the process ends before the manifest could be deleted, the next one pays no attention to it.</summary>
    public void OutdateCheckpoint() => Device.State!.OutdatedCheckpoint = Checkpoints.Token;

    private string? WhyOutdated(Manifest manifest)
    {
        var live = CheckpointFiles.ReadLive(_folder!, out bool isUnreadable);
        if (isUnreadable) return "what says whether its checkpoint still counts cannot be read";
        return live is not null && LiveState.IsOutdated(manifest.Token, live.LiveState) ? "what its checkpoint describes has changed since" : null;
    }

    /// <summary>Looks whether what outlives the process can still be found: logind, for one, removes what a user has there when he has logged out.</summary>
    public void LookForState()
    {
        if (IsWarm && !Device.State!.HasName) Forgo("somebody has deleted its memory in /dev/shm");
    }

    /// <summary>What is on the disk ends with this process, unless a checkpoint is written, until the folder is opened anew. Waits for nothing.</summary>
    /// <param name="reason">Why; part of a sentence.</param>
    public void Forgo(string reason)
    {
        if (_isForgone) return;
        _isForgone = true;
        Device.State!.Forgo();
        if (Device.State.IsShared) Log.NotWarmAfterKill(_logger, _settings.Name, reason);
    }

    /// <summary>A checkpoint says it all: the state is needed no more.</summary>
    public void DeleteState()
    {
        _isForgone = true;
        Device.State!.Delete();
        Fault.Point("live.forgone");
        try
        {
            Checkpoints.DeleteLive();
            Fault.Point("live.deleted");
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // It leads nowhere.
        }
    }

    private LiveState NewState(bool isShared)
    {
        string? problem = null;
        var state = isShared ? TryNewState(out problem) : OwnState();
        if (problem is not null) Log.NotWarmAfterKill(_logger, _settings.Name, problem);
        return state;
    }

    private LiveState OwnState() => LiveState.Create(_plan.SegmentBytes, _plan.Segments, TableBytes, _plan.NoteBytes);

    /// <param name="problem">Why it will not outlive the process, if it was to.</param>
    private LiveState TryNewState(out string? problem)
    {
        problem = null;
        if (TableBytes == 0) return OwnState();
        LiveState.DeleteLeft(CheckpointFiles.MayLeadTo, LookPatience);
        return LiveState.CreateShared(Folder, _plan.SegmentBytes, _plan.Segments, _plan.SettledTables, _plan.NoteBytes, out problem);
    }

    /// <summary>Whoever was killed at rest has left a state beside the checkpoint, and there may be no room for two. It is of use as long as the checkpoint may be damaged, and of none as soon as that counts.</summary>
    private string? PrepareDevice(Manifest manifest)
    {
        _device = NewDevice(TryNewState(out string? noRoom));
        if (Checkpoints.Prepare(manifest, _device) is { } damage) return damage;
        if (noRoom is null) return null;
        if (!CheckpointFiles.DeleteLiveState(_folder!))
        {
            Log.NotWarmAfterKill(_logger, _settings.Name, noRoom);
            return null;
        }

        CloseDevice();
        _device = NewDevice(NewState(isShared: true));
        return Checkpoints.Prepare(manifest, _device);
    }

    /// <summary>Goes on with what a process has left that did not close the folder.</summary>
    /// <param name="problem">Why it is needed; if it cannot be done, why not is added.</param>
    /// <exception cref="IOException">The folder cannot be used.</exception>
    /// <exception cref="UnauthorizedAccessException">The folder cannot be used.</exception>
    private bool TryResume(ref string? problem)
    {
        if (CheckpointFiles.ReadLive(_folder!) is not { } live) return false;
        string? why = WhyNotReusable(live);
        if (why is null && TryOpenState(live, out why) is { } state)
        {
            FormerTicks = state.LatestTicks;
            CloseDevice();
            _device = NewDevice(state);
            ResumesAt = Checkpoints.KeepSegments(_device.Checksums, segment => IsInUse(state, segment), SegmentBeyond(state)) * _plan.SegmentBytes;
            Fault.Point("resume.segments-kept");
            HashSecret = live.HashSecret;
            Checkpoints.Invalidate();
            AttachFiles();
            return true;
        }

        problem = $"{problem}, and {why}";
        return false;
    }

    private LiveState? TryOpenState(Manifest live, out string? why)
    {
        if (LiveState.TryOpen(live.LiveState, _plan.SegmentBytes, TableBytes, _plan.NoteBytes, out why) is not { } state) return null;
        why = WhySetBack(state.LatestTicks) ?? WhyAtItsEnd(ExtentOf(state, segment: 0).Tail);
        if (why is null) return state;
        state.Release(); // so that it can be deleted
        return null;
    }

    /// <summary>Ends the use of a device whose log nobody has yet, or any more.</summary>
    private void CloseDevice()
    {
        if (_device is null) return;
        _device.State!.Forgo();
        _device.Dispose();
        _device.State.Release();
    }

    private bool IsInUse(LiveState state, int segment)
    {
        var extent = ExtentOf(state, segment);
        return !extent.IsEmpty && (segment + 1L) * _plan.SegmentBytes > extent.Begin && segment * _plan.SegmentBytes < extent.Tail;
    }

    /// <summary>The first segment of FASTER's log that none of its settled records has ever lain in.</summary>
    private int SegmentBeyond(LiveState state)
    {
        var probation = ExtentOf(state, segment: 0);
        return (int)(Math.Max(probation.Begin, probation.Tail) / _plan.SegmentBytes) + 1;
    }

    private static unsafe Extent ExtentOf(LiveState state, int segment) => ((Extent*)state.Extents)[segment < SegmentFiles.FirstOfMain ? 0 : 1];
}
