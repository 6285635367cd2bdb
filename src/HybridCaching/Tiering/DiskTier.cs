using HybridCaching.Configuration;
using HybridCaching.Devices;
using HybridCaching.Diagnostics;
using HybridCaching.Recovery;
using HybridCaching.Store;
using Microsoft.Extensions.Logging;

namespace HybridCaching.Tiering;

/// <summary>The folder of a cache and what is in it: opened, reused or wiped at the start, taken over later if it was not to be had, given up and taken over again if it fails, left with a checkpoint at the end.</summary>
internal sealed partial class DiskTier : IDisposable
{
    /// <summary>If the clock is set back by no more than that, nothing has to go: what had expired does not come back, and what would expire meanwhile is not found.</summary>
    private const long MostTicksBack = TimeSpan.TicksPerMinute;

    private readonly CacheSettings _settings;
    private volatile MemoryPlan _plan;
    private readonly ILogger _logger;
    private readonly CacheInstruments _instruments;
    private readonly string _fingerprint;
    private readonly WriteBudget? _writeBudget;
    private volatile string? _unavailableReason;
    private CacheFolder? _folder;
    private LogDevice? _device;

    public DiskTier(CacheSettings settings, MemoryPlan plan, string fingerprint, ILogger logger, CacheInstruments instruments, WriteBudget? writeBudget)
    {
        _writeBudget = writeBudget;
        _instruments = instruments;
        _settings = settings;
        _plan = plan;
        _fingerprint = fingerprint;
        _logger = logger;
        Checkpoints = new CheckpointFiles(plan);
    }

    public CheckpointFiles Checkpoints { get; private set; }

    /// <summary>The device of the log. Without files until the folder is had.</summary>
    public LogDevice Device => _device ?? throw new InvalidOperationException("Not opened yet.");

    /// <summary>The secret of the key hash: that of the files reused, else a new one.</summary>
    public ulong[] HashSecret { get; private set; } = KeyHasher.NewSecret();

    /// <summary>The latest moment, in ticks of UTC, that those knew who had the folder before: what had expired then has expired. 0 if that is not known.</summary>
    public long FormerTicks { get; private set; }

    /// <summary>Why there is no disk tier; null when there is. Read by anybody.</summary>
    public string? UnavailableReason
    {
        get => _unavailableReason;
        private set => _unavailableReason = value;
    }

    private string Folder => _settings.Folder!;

    /// <summary>Takes the folder and looks whether its files can be reused. Their checkpoint counts until <see cref="Announce"/>.</summary>
    /// <returns>The manifest of the checkpoint to recover; null for an empty start.</returns>
    /// <exception cref="IOException">The folder cannot be used, and the settings want to know.</exception>
    public Manifest? Open()
    {
        try
        {
            TakeFolder();
            Fault.Point("open.folder-taken");
            WarnOfFreeSpace();
            var manifest = CheckpointFiles.ReadManifest(_folder!, out string? problem);
            if (manifest is not null) problem = WhyNotReusable(manifest) ?? WhyOutdated(manifest) ?? PrepareDevice(manifest);
            if (manifest is null || problem is not null)
            {
                if (!TryResume(ref problem)) StartEmpty(problem);
                return null;
            }

            Fault.Point("recovery.prepared");
            HashSecret = manifest.HashSecret;
            FormerTicks = manifest.LatestTicks;
            AttachFiles();
            return manifest;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            GiveFolderUp(e);
            return null;
        }
    }

    /// <summary>Wipes the folder and begins with a new device; says why, if there is a reason.</summary>
    /// <exception cref="IOException">The folder cannot be wiped.</exception>
    /// <exception cref="UnauthorizedAccessException">The folder cannot be wiped.</exception>
    public void StartEmpty(string? problem)
    {
        if (_folder is not null) CheckpointFiles.DeleteManifestAndState(_folder); // there may be no room for two states
        RenewDevice(isShared: true);
        Checkpoints.Wipe();
        Fault.Point("open.wiped");
        AttachFiles();
        if (problem is not null) Log.StartedCold(_logger, _settings.Name, Folder, problem);
    }

    /// <summary>Begins with nothing after all, because the checkpoint could not be read; if the folder cannot be used either, or was given up meanwhile, without it.</summary>
    /// <exception cref="IOException">The folder cannot be used, and the settings want to know.</exception>
    public void StartOver(string problem)
    {
        try
        {
            if (_folder is not null) StartEmpty(problem);
            else RenewDevice(isShared: false);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            GiveFolderUp(e);
        }
    }

    /// <summary>Goes by another plan from now on: one with the same sizes of pages, segments and index. If it allows fewer segments, that is to be said to the device once they are removed.</summary>
    public void Resize(MemoryPlan plan)
    {
        bool isLarger = plan.Segments > _plan.Segments;
        _plan = plan;
        Checkpoints.Resize(plan);
        if (isLarger) Device.AllowSegments(plan.Segments);
    }

    /// <summary>
    /// The plan that suits what a folder holds: that of a cache which was resized to these budgets, if it was, since its files are of other sizes than those of one opened with them. But not if its disk was too
    /// small at first to keep what the log lets go: it would have to do without for ever, and a budget for writes could not be had.
    /// </summary>
    /// <param name="plan">The plan of an empty cache.</param>
    /// <param name="settings">What was asked for.</param>
    /// <param name="fingerprint">Says what is stored.</param>
    public static MemoryPlan PlanFor(MemoryPlan plan, CacheSettings settings, string fingerprint)
    {
        if (settings.Folder is null || (CheckpointFiles.PeekManifest(settings.Folder) ?? CheckpointFiles.PeekLive(settings.Folder)) is not { } manifest) return plan;
        bool isOurs = (manifest.Format, manifest.Fingerprint, manifest.SchemaVersion, manifest.RecordBytes) == (Manifest.CurrentFormat, fingerprint, settings.SchemaVersion, plan.RecordBytes);
        bool isOfTheseBudgets = (manifest.MemoryBudget, manifest.DiskBudget) == (settings.MemoryBudget, settings.DiskBudget);
        bool wouldKeepLess = plan.SettledSegments > 0 && manifest.Sizes.SettledTables.IsEmpty;
        return isOurs && isOfTheseBudgets && !wouldKeepLess && WhyNotReusable(manifest, plan) is not null ? plan.TryDivide(settings.MemoryBudget, settings.DiskBudget, manifest.Sizes) ?? plan : plan;
    }

    /// <summary>Bytes of all files.</summary>
    public long Bytes => Device.DiskBytes + Checkpoints.Bytes;

    /// <summary>Changes whenever the disk has done something for us.</summary>
    public long Progress => (_device?.Progress ?? 0) + Checkpoints.Progress;

    /// <summary>Remembers what time it is, or was, for whoever comes after a sudden end.</summary>
    public void NoteTime()
    {
        ref long latest = ref Device.State!.LatestTicks;
        Volatile.Write(ref latest, Math.Max(Math.Max(latest, FormerTicks), _settings.TimeProvider.GetUtcNow().UtcTicks));
    }

    /// <summary>Completes a checkpoint that the log has just taken. What it has written since <paramref name="settledTo"/> is settled by who opens it.</summary>
    /// <returns>Null, or why there is none.</returns>
    public string? WriteCheckpoint(HybridLog log, long settledTo, long estimatedCount, byte[] pinned, Func<bool> mayCommit)
    {
        log.Settled?.Index.FinishGrowth();
        var manifest = Describe(log) with { EstimatedCount = estimatedCount, Pinned = pinned };
        manifest = manifest with { ProbationTail = Math.Min(manifest.ProbationTail, settledTo) };
        return Checkpoints.Write(manifest, Device, log.Settled is { } settled ? settled.Index.Save : null, mayCommit);
    }

    /// <summary>Whether the end of the log is on the disk: a start would refuse a checkpoint without it. So none is written, and the next process goes on with what a sudden end would leave.</summary>
    public bool IsEndWritten(HybridLog log) => log.TailAddress <= log.BeginAddress || Device.AreWritten(log.TailAddress - 1, log.TailAddress);

    /// <summary>Ends all I/O and gives the folder free.</summary>
    public void Dispose()
    {
        lock (_changing) _disposed = true;
        _device?.Dispose();
        _device?.State!.Release(); // before the folder: who gets that gets this
        _folder?.Dispose();
        CloseWhatWasLeft();
    }

    private LogDevice NewDevice(LiveState state) =>
        new(_settings.Name, _plan.SegmentBytes, MemoryPlan.ReadThreads, new BlockChecksums(_plan.SegmentBytes, state), _instruments, _settings.IsDirect) { Budget = _writeBudget, PageBytes = _plan.PageBytes };

    private Manifest Describe(HybridLog log) => new()
    {
        Fingerprint = _fingerprint,
        SchemaVersion = _settings.SchemaVersion,
        HashSecret = HashSecret,
        IndexBytes = _plan.IndexBytes,
        PageBytes = _plan.PageBytes,
        SegmentBytes = _plan.SegmentBytes,
        RecordBytes = _plan.RecordBytes,
        Token = default,
        IndexMetadata = [],
        LogMetadata = [],
        ChecksumsCrc = 0,
        IndexFileBytes = 0,
        BeginAddress = log.BeginAddress,
        TailAddress = log.TailAddress,
        ClearedBelow = log.ClearedBelow,
        SettledIndexBytes = log.Settled?.Index.Bytes ?? 0,
        SettledTables = [.. (log.Settled?.Index.Sizes ?? []).SelectMany(static t => new[] { t.Most.Columns, t.Most.Groups, t.Groups })],
        AddressBits = _plan.AddressBits,
        LatestTicks = Device.State!.LatestTicks,
        MemoryBudget = _plan.MemoryBudget,
        DiskBudget = _plan.DiskBudget,
        SettledIndexCrc = 0,
        ProbationBegin = log.Settled?.Index.Probation.Begin ?? 0,
        ProbationTail = log.Settled?.Index.Probation.Tail ?? 0,
        MainBegin = log.Settled?.Index.Main.Begin ?? 0,
        MainTail = log.Settled?.Index.Main.Tail ?? 0,
        EstimatedCount = 0,
    };

    private void AttachFiles() => Attach(Checkpoints.LogFiles(_settings.IsDirect));

    private void Attach(SegmentFiles files)
    {
        Device.Attach(files);
        Device.AllowSegments(_plan.Segments); // which may have changed meanwhile
    }

    /// <exception cref="IOException">It is not to be had.</exception>
    /// <exception cref="UnauthorizedAccessException">It is not to be had.</exception>
    private void TakeFolder()
    {
        _folder = OpenFolder();
        Checkpoints.Folder = _folder;
    }

    private CacheFolder OpenFolder()
    {
        if (_mount is null)
        {
            var first = CacheFolder.Open(Folder);
            _mount = MountPoint.Of(Folder);
            return first;
        }

        RefuseOtherMount();
        var folder = CacheFolder.Open(Folder);
        try
        {
            // With a file open on it, a file system stays mounted: if all is well now, it was when the folder was opened.
            RefuseOtherMount();
            if (!folder.IsStillThere()) throw new IOException($"something was mounted over '{Folder}'");
            return folder;
        }
        catch
        {
            folder.Dispose();
            throw;
        }
    }

    /// <summary>Where a disk was, and is not any more, the file system below it is not ours to fill.</summary>
    private void RefuseOtherMount()
    {
        if (MountPoint.Of(Folder) != _mount) throw new IOException($"'{Folder}' is not on the file system that was mounted at '{_mount}'");
    }

    private IOException Unavailable(Exception cause) => new($"The directory of cache {_settings.Name} cannot be used: {cause.Message}", cause);

    /// <exception cref="IOException">The settings want to know.</exception>
    private void GiveFolderUp(Exception cause)
    {
        if (_settings.ThrowWhenDirectoryUnavailable) throw Unavailable(cause);
        UnavailableReason = ReasonOf(cause);
        Log.DirectoryUnavailable(_logger, _settings.Name, UnavailableReason);
        RenewDevice(isShared: false);
        _folder?.Dispose();
        _folder = null;
    }

    /// <summary>Part of a sentence.</summary>
    private static string ReasonOf(Exception cause) => cause.Message.TrimEnd('.');

    private void RenewDevice(bool isShared)
    {
        CloseDevice();
        _device = NewDevice(NewState(isShared));
        Checkpoints = new CheckpointFiles(_plan);
        if (_folder is not null) Checkpoints.Folder = _folder;
        HashSecret = KeyHasher.NewSecret();
    }

    private string? WhyNotReusable(Manifest manifest)
    {
        if (manifest.Format != Manifest.CurrentFormat) return $"its format is {manifest.Format}, this version reads {Manifest.CurrentFormat}";
        if (manifest.Fingerprint != _fingerprint) return "it holds other key or value types";
        if (manifest.SchemaVersion != _settings.SchemaVersion) return $"its SchemaVersion is {manifest.SchemaVersion}, not {_settings.SchemaVersion}";
        return WhySetBack(manifest.LatestTicks) ?? WhyNotReusable(manifest, _plan) ?? WhyAtItsEnd(manifest.TailAddress);
    }

    /// <summary>A log that begins anew has all addresses before it again.</summary>
    private string? WhyAtItsEnd(long tail) => tail <= _plan.MostAddress / 2 ? null : "half of the addresses that its log may ever have are used up";

    private string? WhySetBack(long latestTicks)
    {
        long back = latestTicks - _settings.TimeProvider.GetUtcNow().UtcTicks;
        return back <= MostTicksBack ? null : $"the clock was set back by {TimeSpan.FromTicks(back)} since, and what has expired would come back";
    }

    private static string? WhyNotReusable(Manifest manifest, MemoryPlan plan)
    {
        bool sameSizes = (manifest.IndexBytes, manifest.PageBytes, manifest.SegmentBytes, manifest.RecordBytes) == (plan.IndexBytes, plan.PageBytes, plan.SegmentBytes, plan.RecordBytes)
            && manifest.Sizes.SettledTables.Select(static t => t.Columns).SequenceEqual(plan.SettledTables.Select(static t => t.Columns))
            && manifest.AddressBits == plan.AddressBits
            && manifest.SettledGroups.Zip(plan.SettledTables).All(static t => t.First <= t.Second.Groups);
        return sameSizes ? null : "it was written with other budgets, which lead to other page, segment or index sizes";
    }

    private void WarnOfFreeSpace()
    {
        try
        {
            long free = new DriveInfo(_folder!.Path).AvailableFreeSpace + _folder.List().Sum(_folder.LengthOf);
            if (free < _settings.DiskBudget) Log.DiskBudgetAboveFreeSpace(_logger, _settings.Name, _settings.DiskBudget, free, Folder);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or ArgumentException)
        {
            // Not every file system tells.
        }
    }
}
