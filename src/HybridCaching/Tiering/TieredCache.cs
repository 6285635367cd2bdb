using System.Diagnostics;
using System.Runtime.CompilerServices;
using HybridCaching.Configuration;
using HybridCaching.Diagnostics;
using HybridCaching.HotTier;
using HybridCaching.Records;
using HybridCaching.Store;
using Microsoft.Extensions.Logging;

namespace HybridCaching.Tiering;

/// <summary>The one place that knows all tiers: what a read looks through, what a write passes, and how old entries leave.</summary>
/// <remarks>Nobody waits for the disk, or for room in the log, with a session in hand. The order is: session, row lock, epoch; nothing is ever waited for in the other direction. See docs/concurrency.md.</remarks>
internal sealed partial class TieredCache<TKey, TValue> : IDisposable
    where TKey : unmanaged
    where TValue : unmanaged
{
    /// <summary>The cap on reads that wait for the disk.</summary>
    private const int OutstandingReads = 64;

    private static readonly TimeSpan DrainTimeout = TimeSpan.FromSeconds(5);

    private readonly CacheSettings _settings;
    private readonly ILogger _logger;
    private readonly MemoryPlan _plan;
    private readonly DiskTier? _disk;
    private readonly EntryLog<TKey, TValue> _log;
    private readonly SessionPool<TKey, TValue> _pool;
    private readonly ReaderPool<TKey, TValue> _readers;
    private readonly HotTable<TKey, TValue> _hot;
    private readonly KeyHasher _hasher;
    private readonly StripedCounter _hotHits = new();
    private readonly TimeProvider _clock;
    private readonly Housekeeper _housekeeper;
    private readonly KeyChange _changing;
    private readonly Action _allChanging;
    private readonly long _recoveredEntries;
    private readonly Lock _disposing = new();
    private volatile bool _disposed;
    private long _readTimeouts;
    private long _hotExpired;

    /// <summary>Called under the lock of a key's row just before the key is changed.</summary>
    public delegate void KeyChange(in TKey key);

    /// <summary>Opens the cache: recovers what its folder holds or starts empty.</summary>
    /// <param name="settings">What was asked for.</param>
    /// <param name="changing">Is told of every change of a key.</param>
    /// <param name="allChanging">Is told, under the locks of all rows, that all keys are about to be removed.</param>
    /// <param name="housekeepingClock">When housekeeping happens.</param>
    /// <param name="logger">Where it is told.</param>
    /// <exception cref="ArgumentException">The types cannot be stored, or the budgets cannot work.</exception>
    /// <exception cref="IOException">The directory cannot be used, and the settings want to know.</exception>
    public TieredCache(CacheSettings settings, KeyChange changing, Action allChanging, TimeProvider housekeepingClock, ILogger logger)
    {
        _settings = settings;
        _changing = changing;
        _allChanging = allChanging;
        _logger = logger;
        _clock = settings.TimeProvider;
        var (key, value) = (TypeLayout.Of<TKey>(), TypeLayout.Of<TValue>());
        StoredTypes.CheckKey(key);
        StoredTypes.CheckValue(value);
        StoredTypes.CheckSize(key, value);
        _plan = MemoryPlan.Create(settings.MemoryBudget, settings.DiskBudget, EntryLog<TKey, TValue>.RecordBytes, HotTable<TKey, TValue>.SlotBytes, SessionPool<TKey, TValue>.DefaultCapacity + OutstandingReads, settings.HotTierShare);

        if (settings.Folder is null)
        {
            Log.OpenedInMemory(logger, settings.Name, settings.MemoryBudget);
            _hasher = new KeyHasher(KeyHasher.NewSecret());
            _log = EntryLog<TKey, TValue>.Open(_plan, _hasher, null, null);
        }
        else
        {
            _disk = new DiskTier(settings, _plan, $"{key.Fingerprint()}-{value.Fingerprint()}", logger);
            _log = OpenOnDisk(_disk, out _recoveredEntries);
            _hasher = new KeyHasher(_disk.HashSecret);
            if (_disk.UnavailableReason is null) Log.Opened(logger, settings.Name, settings.Folder, settings.MemoryBudget, settings.DiskBudget);
            if (_recoveredEntries > 0) Log.Recovered(logger, settings.Name, _recoveredEntries, settings.Folder);
        }

        _hot = new HotTable<TKey, TValue>(_plan.HotRows, _plan.InitialHotWays, _plan.MostHotWays);
        _pool = new SessionPool<TKey, TValue>(SessionPool<TKey, TValue>.DefaultCapacity, _log.NewSession, settings.Name);
        _readers = new ReaderPool<TKey, TValue>(OutstandingReads, _log.NewReader);
        _housekeeper = new Housekeeper(settings.Name, housekeepingClock, KeepHouse, e => Log.HousekeepingFailed(logger, settings.Name, e));
    }

    public MemoryPlan Plan => _plan;

    public CacheSettings Settings => _settings;

    /// <summary>The device under the log, for tests that make it fail; null without a directory.</summary>
    public Devices.LogDevice? Device => _disk?.Device;

    public SessionPool<TKey, TValue> Sessions => _pool;

    public MemoryUsage GetMemoryUsage()
    {
        ThrowIfDisposed();
        return new MemoryUsage
        {
            Budget = _settings.MemoryBudget,
            Index = _log.IndexBytes,
            Log = _log.LogBytes,
            HotTier = _hot.MemoryBytes,
            Buffers = _plan.BufferBytes,
        };
    }

    public CacheStatistics GetStatistics()
    {
        ThrowIfDisposed();
        var counters = _pool.SumCounters() + _readers.SumCounters();
        long timeouts = Interlocked.Read(ref _readTimeouts);
        long expired = Interlocked.Read(ref _hotExpired);
        var device = _disk?.Device;
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
            Removals = counters.Removals,
            DiskReadErrors = device?.ReadErrors ?? 0,
            DiskWriteErrors = device?.WriteErrors ?? 0,
            DiskUsage = device?.DiskBytes ?? 0,
            DiskBudget = _settings.DiskBudget,
            RecoveredEntries = _recoveredEntries,
            DiskUnavailableReason = _disk?.UnavailableReason,
        };
    }

    /// <summary>Hands everything stored so far to the disk and waits until it is there.</summary>
    public void Flush()
    {
        var session = _pool.Rent();
        try
        {
            _log.Flush();
            _disk?.Device.FlushToDisk();
        }
        catch (IOException)
        {
            // The device has counted it; what is lost is a miss.
        }
        finally
        {
            _pool.Return(session);
        }
    }

    /// <summary>Waits for running calls, takes a checkpoint and closes everything. Calls that come later throw.</summary>
    public void Dispose()
    {
        lock (_disposing)
        {
            if (_disposed) return;
            _disposed = true;
            Close();
        }
    }

    private void Close()
    {
        _housekeeper.Dispose();
        long start = Stopwatch.GetTimestamp();
        bool quiet = _pool.Drain(DrainTimeout) & _readers.Drain(TimeLeft(start, DrainTimeout));
        if (!quiet)
        {
            // Somebody still waits inside FASTER: closing it under them would crash the process, so it is left to the garbage collector.
            Log.ClosedWithoutCheckpoint(_logger, _settings.Name, "calls were still waiting for the disk");
            return;
        }

        if (_disk is { UnavailableReason: null }) TakeCheckpoint(_disk);
        _log.Dispose();
        _disk?.Dispose();
    }

    private EntryLog<TKey, TValue> OpenOnDisk(DiskTier disk, out long recovered)
    {
        recovered = 0;
        try
        {
            var manifest = disk.Open();
            var log = Open();
            if (manifest is null) return log;
            try
            {
                log.Recover(disk.Checkpoints.Token);
                log.ClearedBelow = manifest.ClearedBelow;
                disk.Checkpoints.DeleteRecovered();
                recovered = manifest.EstimatedCount;
                return log;
            }
            catch (Exception e) when (e is not OutOfMemoryException)
            {
                log.Dispose();
                disk.StartEmpty($"its checkpoint cannot be read: {e.Message}");
                return Open();
            }
        }
        catch
        {
            disk.Dispose();
            throw;
        }

        EntryLog<TKey, TValue> Open() => EntryLog<TKey, TValue>.Open(_plan, new KeyHasher(disk.HashSecret), disk.Device, disk.Checkpoints);
    }

    private void TakeCheckpoint(DiskTier disk)
    {
        try
        {
            DropForIndexFile(disk);
            if (_log.TakeCheckpoint()) disk.WriteCheckpoint(_log.BeginAddress, _log.TailAddress, _log.ClearedBelow, Count);
            else Log.ClosedWithoutCheckpoint(_logger, _settings.Name, "another checkpoint was running");
        }
        catch (Exception e)
        {
            Log.ClosedWithoutCheckpoint(_logger, _settings.Name, e.Message);
        }
    }

    /// <summary>An index that grew beyond what was planned takes its place from the oldest entries.</summary>
    private void DropForIndexFile(DiskTier disk)
    {
        disk.Checkpoints.IndexFileBytes = _log.IndexFileBytes;
        long excess = disk.Checkpoints.IndexFileBytes - _plan.IndexFileLimit;
        if (excess > 0) DropBefore(Math.Min(_log.TailAddress, ((_log.BeginAddress + excess) / _plan.SegmentBytes + 1) * _plan.SegmentBytes), evenInMemory: true);
    }

    private void ThrowIfDisposed()
    {
        if (_disposed) throw new ObjectDisposedException(_settings.Name);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ulong Deadline(TimeSpan? timeToLive) =>
        (timeToLive ?? _settings.DefaultTimeToLive) is { } lifetime && lifetime != Timeout.InfiniteTimeSpan ? EntryHeader.Deadline(_clock.GetUtcNow(), lifetime) : 0;
}
