using System.Runtime.CompilerServices;
using HybridCaching.Configuration;
using HybridCaching.Diagnostics;
using HybridCaching.HotTier;
using HybridCaching.Records;
using HybridCaching.Store;
using Microsoft.Extensions.Logging;

namespace HybridCaching.Tiering;

/// <summary>The tiers of the typed cache: what a read looks through and what a write passes.</summary>
internal sealed partial class TieredCache<TKey, TValue> : TieredStore<EntrySession<TKey, TValue>, EntryReader<TKey, TValue>>
    where TKey : unmanaged
    where TValue : unmanaged
{
    private readonly HotTable<TKey, TValue> _hot;
    private readonly int _recordBytes;
    private readonly KeyChange _changing;
    private readonly Action _allChanging;

    /// <summary>Called under the lock of a key's row just before the key is changed.</summary>
    public delegate void KeyChange(in TKey key);

    /// <summary>Opens the cache: recovers what its folder holds or starts empty.</summary>
    /// <param name="settings">What was asked for.</param>
    /// <param name="changing">Is told of every change of a key.</param>
    /// <param name="allChanging">Is told, under the locks of all rows, that all keys are about to be removed.</param>
    /// <param name="housekeepingClock">When housekeeping happens.</param>
    /// <param name="logger">Where it is told.</param>
    /// <param name="instruments">Where it is measured.</param>
    /// <exception cref="ArgumentException">The types cannot be stored, or the budgets cannot work.</exception>
    /// <exception cref="IOException">The directory cannot be used, and the settings want to know.</exception>
    public TieredCache(CacheSettings settings, KeyChange changing, Action allChanging, TimeProvider housekeepingClock, ILogger logger, CacheInstruments instruments)
        : this(settings, PlanFor(settings), changing, allChanging, housekeepingClock, logger, instruments)
    {
    }

    private TieredCache(CacheSettings settings, MemoryPlan plan, KeyChange changing, Action allChanging, TimeProvider housekeepingClock, ILogger logger, CacheInstruments instruments)
        : base(
            settings,
            plan,
            (hasher, device, checkpoints) => EntryLog<TKey, TValue>.Open(plan, hasher, device, checkpoints),
            new HotTable<TKey, TValue>(plan.HotRows, plan.InitialHotWays, MemoryPlan.MaximumHotWays),
            Fingerprint(),
            housekeepingClock,
            logger,
            instruments)
    {
        _hot = (HotTable<TKey, TValue>)_rows;
        _recordBytes = plan.RecordBytes;
        _changing = changing;
        _allChanging = allChanging;
    }

    protected override void OnCleared() => _allChanging();

    private static MemoryPlan PlanFor(CacheSettings settings)
    {
        var (key, value) = (TypeLayout.Of<TKey>(), TypeLayout.Of<TValue>());
        StoredTypes.CheckKey(key);
        StoredTypes.CheckValue(value);
        StoredTypes.CheckSize(key, value);
        var plan = MemoryPlan.Create(settings.MemoryBudget, settings.DiskBudget, EntryLog<TKey, TValue>.RecordBytes, HotTable<TKey, TValue>.SlotBytes, ReadBuffers, settings.HotTierShare, settings.Name);
        return DiskTier.PlanFor(plan, settings, Fingerprint());
    }

    protected override bool TryBeginTrail(EntrySession<TKey, TValue> session, ReadOnlySpan<byte> record, ulong hash)
    {
        Unsafe.SkipInit(out Entry<TValue> entry);
        return session.FindUnlatched(EntryLog<TKey, TValue>.KeyOf(record), hash, ref entry) == Lookup.OnDisk;
    }

    protected override bool TryFollow(EntryReader<TKey, TValue> reader, ReadOnlySpan<byte> record, ref DiskTrail trail, out bool found)
    {
        Unsafe.SkipInit(out Entry<TValue> entry);
        return reader.TryRead(EntryLog<TKey, TValue>.KeyOf(record), ref trail, ref entry, out found);
    }

    private static string Fingerprint() => $"{TypeLayout.Of<TKey>().Fingerprint()}-{TypeLayout.Of<TValue>().Fingerprint()}";

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ulong Deadline(TimeSpan? timeToLive) =>
        (timeToLive ?? _settings.DefaultTimeToLive) is { } lifetime && lifetime != Timeout.InfiniteTimeSpan ? EntryHeader.Deadline(_clock.GetUtcNow(), lifetime) : 0;
}
