using System.Diagnostics;
using System.Runtime.CompilerServices;
using HybridCaching.Configuration;
using HybridCaching.Diagnostics;
using HybridCaching.HotTier;
using HybridCaching.Recovery;
using HybridCaching.Store;
using Microsoft.Extensions.Logging;

namespace HybridCaching.Tiering;

/// <summary>What the tiers of every cache have in common, whatever its keys and values are: opening and closing, room, removal of all, budgets, housekeeping.</summary>
/// <remarks>Nobody waits for the disk, or for room in the log, with a session in hand, but who flushes or writes a checkpoint. The order is: session, row lock, epoch; nothing is ever waited for in the other direction. See docs/concurrency.md.</remarks>
internal abstract partial class TieredStore<TSession, TReader> : IDisposable, IRecordJudge
    where TSession : LogSession
    where TReader : LogReader
{
    /// <summary>The cap on reads that wait for the disk.</summary>
    private const int OutstandingReads = 64;

    /// <summary>One in so many hits in the memory of the log is counted, and as long as the log has all there is, puts a copy into the hot tier: what is read often gets there soon, and a scan does not pay for it.</summary>
    private const int HitsPerCount = 16;

    /// <summary>One in so many of these hits is noted, once records leave memory, and a key that is noted twice gets a copy: notes take the place of others.</summary>
    private const int HitsPerNote = 4;

    protected readonly CacheSettings _settings;
    protected readonly ILogger _logger;
    private readonly CacheInstruments _instruments;
    private readonly DiskWatch _watch;
    protected volatile MemoryPlan _plan;
    private readonly DiskTier? _disk;
    protected readonly SessionLog<TSession, TReader> _log;
    protected readonly SessionPool<TSession> _pool;
    protected readonly ReaderPool<TReader> _readers;
    protected readonly HotRows _rows;
    private readonly OpenLog _open;
    protected readonly KeyHasher _hasher;
    protected readonly StripedCounter _hotHits = new();
    protected readonly TimeProvider _clock;
    private readonly long _formerTicks;
    private readonly Housekeeper _housekeeper;
    private readonly long _recoveredEntries;
    private long _recoveredInLog;
    private readonly TimeSpan _recoveryDuration;
    private byte[] _recoveredPinned = [];
    protected volatile bool _disposed;
    protected long _readTimeouts;
    private long _hotExpired;

    /// <summary>Opens an empty log with the records of this cache.</summary>
    protected delegate SessionLog<TSession, TReader> OpenLog(KeyHasher hasher, Devices.LogDevice? device, CheckpointFiles? checkpoints);

    /// <summary>Opens the cache: recovers what its folder holds or starts empty.</summary>
    /// <param name="settings">What was asked for.</param>
    /// <param name="plan">How the budgets are divided.</param>
    /// <param name="open">Opens its log.</param>
    /// <param name="rows">Its hot tier.</param>
    /// <param name="fingerprint">Says what is stored: files with another one are not read.</param>
    /// <param name="housekeepingClock">When housekeeping happens.</param>
    /// <param name="logger">Where it is told.</param>
    /// <param name="instruments">Where it is measured.</param>
    /// <exception cref="IOException">The directory cannot be used, and the settings want to know.</exception>
    protected TieredStore(CacheSettings settings, MemoryPlan plan, OpenLog open, HotRows rows, string fingerprint, TimeProvider housekeepingClock, ILogger logger, CacheInstruments instruments)
    {
        _settings = settings;
        _plan = plan;
        _held = plan;
        _open = open;
        _rows = rows;
        _logger = logger = new ForgivingLogger(logger);
        _instruments = instruments;
        _watch = new DiskWatch(settings.Name, logger, Housekeeper.TicksPerMinute);
        _clock = settings.TimeProvider;
        if (settings.MemoryBudget > settings.AvailableMemory) Log.MemoryBudgetAboveMemory(logger, settings.Name, settings.MemoryBudget, settings.AvailableMemory);
        try
        {
            if (settings.Folder is null)
            {
                Log.OpenedInMemory(logger, settings.Name, settings.MemoryBudget);
                _hasher = new KeyHasher(KeyHasher.NewSecret());
                _log = open(_hasher, null, null);
            }
            else
            {
                long start = Stopwatch.GetTimestamp();
                using var activity = instruments.StartActivity("hybridcaching.recovery");
                _writeBudget = NewWriteBudget(housekeepingClock);
                _disk = new DiskTier(settings, _plan, fingerprint, logger, instruments, _writeBudget);
                _log = OpenOnDisk(_disk, out _recoveredEntries);
                _formerTicks = _disk.FormerTicks;
                _recoveryDuration = Stopwatch.GetElapsedTime(start);
                _hasher = new KeyHasher(_disk.HashSecret);
                if (_disk.UnavailableReason is null) Log.Opened(logger, settings.Name, settings.Folder, settings.MemoryBudget, settings.DiskBudget);
                if (_disk.ResumesAt is not null) Log.Resumed(logger, settings.Name, _recoveredEntries, settings.Folder);
                else if (_recoveredEntries > 0) Log.Recovered(logger, settings.Name, _recoveredEntries, settings.Folder);
            }

            _pool = new SessionPool<TSession>(MemoryPlan.SessionsAtOnce, _log.NewSession, settings.Name) { Wanted = WakeUpFromRest, Created = MakeRoomForReader };
            _readers = new ReaderPool<TReader>(OutstandingReads, _log.NewReader) { Created = MakeRoomForReader };
            _settled = _log.Settled;
            if (_settled is not null)
            {
                _hasGhost = _writeBudget is not null; // it remembers what was not written, from the start
                _ghost = new Ghost(_hasGhost ? plan.GhostBytes : 0);
                _log.LentBytes = LentBytes(_rows.Ways);
                _log.HoldMemoryPlan();
                _hitCounts = new HitCounts(plan.HitCountBytes);
                _readersMade = 1; // the mover's; its session never reads the disk
                _reader = _log.NewReader();
                _mover = new Mover(_log, rows, _ghost, _hitCounts, _log.NewCollector(), this, plan.SegmentBytes, plan.Segments, MustPauseMoving, () => _isClosing) { Budget = _writeBudget };
                _viewer = _log.NewSession();
                _settler = new Settler(_log, _disk!.Device, rows, _mover, this);
                if (_writeBudget is not null) _sieve = new PageSieve(_disk.Device, _log, _mover, this);
                _mover.Meanwhile = TendMemory;
                _reclaimer = new Housekeeper($"{settings.Name}-mover", housekeepingClock, Reclaim, e => Log.HousekeepingFailed(logger, settings.Name, e));
                _disk.Device.Written = _reclaimer.WakeUp;
                if (_writeBudget is not null) _disk.Device.Offered = _reclaimer.WakeUp;
            }

            _tailKept = _log.TailAddress;
            MakeRoomForGrowth(); // knows what is not needed yet
            _ticksUntilWriteOut = Housekeeper.TicksPer(settings.CheckpointInterval);
            _housekeeper = new Housekeeper(settings.Name, housekeepingClock, KeepHouse, e => Log.HousekeepingFailed(logger, settings.Name, e));
            if (_settled is { FreeSegments: < 0 } || _disk?.Device.Segments > plan.Segments) LetSegmentsGo(); // a cache that was resized may have left more than it would now
        }
        catch
        {
            CloseHalfOpened();
            throw;
        }
    }

    /// <summary>Hands out, once, what the manifest held of the entries that do not leave: it is not kept beside them.</summary>
    protected byte[] TakeRecoveredPinned()
    {
        byte[] pinned = _recoveredPinned;
        _recoveredPinned = [];
        return pinned;
    }

    /// <summary>Where entries that do not leave are written down, in case the process ends suddenly; null without a disk.</summary>
    protected Devices.LiveNotes? Notes => _disk is { UnavailableReason: null } ? _disk.Notes : null;

    /// <summary>Should the process end suddenly, the next one starts cold.</summary>
    protected void ForgoWarmth(string reason) => _disk?.Forgo(reason);

    /// <summary>The entries that do not leave, for the manifest.</summary>
    protected virtual byte[] SavePinned() => [];

    /// <summary>How many buffers for reads of the disk there may be: those of sessions, of readers, and the mover's.</summary>
    public static int ReadBuffers => MemoryPlan.SessionsAtOnce + OutstandingReads + 1;

    public MemoryPlan Plan => _plan;

    /// <summary>What FASTER's log has let go, for tests; null if nothing of that is kept.</summary>
    public SettledLog? Settled => _settled;

    /// <summary>Knows what of FASTER's log was settled, for tests.</summary>
    public Settler? Settler => _settler;

    /// <summary>Whether the mover has something to do, for tests.</summary>
    public bool IsReclaimDue => _settled is not null && _log.IsReclaimDue(out _);

    public CacheSettings Settings => _settings;

    /// <summary>The device under the log, for tests that make it fail; null without a directory.</summary>
    public Devices.LogDevice? Device => _disk?.Device;

    public SessionPool<TSession> Sessions => _pool;

    public MemoryUsage GetMemoryUsage()
    {
        ThrowIfDisposed();
        while (true)
        {
            var held = _held;
            var usage = new MemoryUsage
            {
                HotTier = _rows.MemoryBytes,
                Index = _log.IndexBytes + (_settled?.Index.Bytes ?? 0) + (_ghost?.Bytes ?? 0) + (_hitCounts?.Bytes ?? 0),
                Log = _log.LogBytes,
                Buffers = held.BufferBytes - Interlocked.Read(ref _idleBufferBytes),
            };
            if (usage.HotTier == _rows.MemoryBytes) return usage with { Budget = Math.Max(held.MemoryBudget, _held.MemoryBudget) }; // else something has changed hands meanwhile, and would be counted twice
        }
    }

    public CacheStatistics GetStatistics()
    {
        ThrowIfDisposed();
        var counters = _pool.SumCounters() + _readers.SumCounters();
        long timeouts = Interlocked.Read(ref _readTimeouts);
        long expired = Interlocked.Read(ref _hotExpired);
        var device = _disk?.Device;
        long budget = _held.DiskBudget;
        long usage = _disk?.Bytes ?? 0;
        return new CacheStatistics
        {
            MemoryHits = counters.MemoryHits + _hotHits.Sum(),
            DiskHits = counters.DiskHits,
            Misses = counters.Misses + timeouts + expired,
            ExpiredMisses = counters.Expired + expired,
            Timeouts = timeouts,
            CorruptEntries = counters.Corrupt + (device?.DamagedBlocks ?? 0),
            Writes = counters.Writes,
            DroppedWrites = counters.Dropped,
            WithheldWrites = _sieve?.Withheld ?? 0,
            Removals = counters.Removals,
            Evictions = Evictions,
            ClearedEntries = Interlocked.Read(ref _cleared),
            DiskReads = device?.Reads ?? 0,
            DiskReadBytes = device?.ReadBytes ?? 0,
            DiskWrites = device?.Writes ?? 0,
            DiskWrittenBytes = device?.WrittenBytes ?? 0,
            DiskReadErrors = device?.ReadErrors ?? 0,
            DiskWriteErrors = device?.WriteErrors ?? 0,
            DiskUsage = usage,
            DiskBudget = Math.Max(budget, _held.DiskBudget), // it may have been changed since
            RecoveredEntries = _recoveredEntries,
            RecoveryDuration = _recoveryDuration,
            DiskTroubleReason = _watch.Trouble,
            DiskUnavailableReason = _disk?.UnavailableReason,
        };
    }

    /// <exception cref="ArgumentException">There is too little disk for a main log, which is where goes what is to be written.</exception>
    private Devices.WriteBudget? NewWriteBudget(TimeProvider clock)
    {
        if (_settings.DiskWriteBudget is not { } bytesPerSecond) return null;
        if (_plan.SettledSegments > 0) return new Devices.WriteBudget(bytesPerSecond, _plan.PageBytes, clock);
        string possible = _plan.LeastDiskToKeep() is { } disk ? $": {new ByteSize(disk)} are enough" : ", and a larger MemoryBudget";
        string rule = $"needs a larger DiskBudget than {new ByteSize(_settings.DiskBudget)} beside a MemoryBudget of {new ByteSize(_settings.MemoryBudget)}, to keep what its log lets go{possible}";
        throw CacheSettings.Invalid(_settings.Name, nameof(FasterCacheOptions.DiskWriteBudget), new ByteSize(bytesPerSecond), rule);
    }

    private SessionLog<TSession, TReader> OpenOnDisk(DiskTier disk, out long recovered)
    {
        recovered = 0;
        try
        {
            var manifest = disk.Open();
            var log = Open();
            if (manifest is null)
            {
                if (disk.ResumesAt is { } address)
                {
                    log.BeginAt(address);
                    LendToSettled(log);
                    _recoveredPinned = disk.Notes.All.ToArray();
                }

                recovered = disk.ResumesAt is null ? 0 : log.Settled!.Index.Count;
                disk.Announce(log);
                return log;
            }

            try
            {
                log.Recover(disk.Checkpoints.Token);
                Fault.Point("recovery.log-recovered");
                log.ClearedBelow = manifest.ClearedBelow;
                if (log.Settled is { } settled) disk.Checkpoints.ReadSettledIndex(stream => settled.Index.Load(stream, manifest.SettledIndexCrc, new(manifest.ProbationBegin, manifest.ProbationTail), new(manifest.MainBegin, manifest.MainTail), manifest.SettledGroups));
                Fault.Point("recovery.settled-read");
                LendToSettled(log); // what comes from a process that was killed may nearly all be settled
                if (!disk.Notes.TryReplace(manifest.Pinned)) disk.Forgo("there are too many tag markers");
                disk.Announce(log);
                if (disk.UnavailableReason is null) disk.Checkpoints.TryDeleteRecovered();
                Fault.Point("recovery.end");
                _recoveredInLog = manifest.EstimatedCount;
                recovered = (log.Settled is { Index: var index } ? Unsettled(_recoveredInLog, index.Probation.Tail - log.BeginAddress, log) : _recoveredInLog) + (log.Settled?.Index.Count ?? 0);
                _recoveredPinned = manifest.Pinned;
                return log;
            }
            catch (Exception e) when (e is not OutOfMemoryException)
            {
                log.Dispose();
                disk.StartOver($"its checkpoint cannot be read: {e.Message}");
                log = Open();
                disk.Announce(log);
                return log;
            }
        }
        catch
        {
            disk.Dispose();
            throw;
        }

        static void LendToSettled(SessionLog<TSession, TReader> log) => log.Lend(Math.Max(0, -(log.Settled?.FreeSegments ?? 0)));

        SessionLog<TSession, TReader> Open() => _open(new KeyHasher(disk.HashSecret), disk.Device, disk.Checkpoints);
    }

    /// <summary>The moment by which it is judged what has expired: now, or if the clock has been set back a little since the cache was closed, that. User code may run.</summary>
    protected DateTimeOffset TimeOfJudgement
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _clock.GetUtcNow() is var now && now.UtcTicks >= _formerTicks ? now : new DateTimeOffset(_formerTicks, TimeSpan.Zero);
    }

    protected TimeSpan TimeLeft(long start) => TimeLeft(start, _settings.DiskTimeout);

    protected static TimeSpan TimeLeft(long start, TimeSpan timeout)
    {
        var left = timeout - Stopwatch.GetElapsedTime(start);
        return left > TimeSpan.Zero ? left : TimeSpan.Zero;
    }

    /// <summary>Counts a copy in the hot tier that had expired.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    protected void CountHotExpired() => Interlocked.Increment(ref _hotExpired);

    /// <exception cref="ObjectDisposedException">The cache was disposed.</exception>
    public void ThrowIfDisposed()
    {
        if (_disposed) throw new ObjectDisposedException(_settings.Name);
    }
}
