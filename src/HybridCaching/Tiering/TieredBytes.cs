using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using HybridCaching.Configuration;
using HybridCaching.Diagnostics;
using HybridCaching.HotTier;
using HybridCaching.Records;
using HybridCaching.Store;
using Microsoft.Extensions.Logging;

namespace HybridCaching.Tiering;

/// <summary>The tiers of the bytes cache: what a read looks through and what a write passes.</summary>
[SkipLocalsInit]
internal sealed partial class TieredBytes : TieredStore<BytesSession, BytesReader>
{
    /// <summary>Records up to this length are one piece, if pages are large enough.</summary>
    private const int LargestRecordBytes = 128 << 10;

    /// <summary>A value so short is never taken apart, however long its key is.</summary>
    private const int AlwaysWholeBytes = 64;

    /// <summary>A piece that fills a page is at least so long: each piece is a read of the disk.</summary>
    private const int LeastChunkBytes = 1 << 10;

    private const int RecordAlignment = 8;

    private const string Fingerprint = "bytes-v2";

    private readonly HotBytes _hot;
    private readonly BytesLog _bytesLog;
    private readonly BytesSettings _bytes;
    private readonly PinnedEntries _pinned;
    private readonly int _wholeRecordBytes;
    private readonly int _chunkBytes;

    /// <summary>Opens the cache: recovers what its folder holds or starts empty.</summary>
    /// <param name="settings">What was asked for.</param>
    /// <param name="bytes">What was asked for beyond that.</param>
    /// <param name="housekeepingClock">When housekeeping happens.</param>
    /// <param name="logger">Where it is told.</param>
    /// <param name="instruments">Where it is measured.</param>
    /// <exception cref="ArgumentException">The budgets cannot work.</exception>
    /// <exception cref="IOException">The directory cannot be used, and the settings want to know.</exception>
    public TieredBytes(CacheSettings settings, BytesSettings bytes, TimeProvider housekeepingClock, ILogger logger, CacheInstruments instruments)
        : this(settings, bytes, PlanFor(settings, bytes), housekeepingClock, logger, instruments)
    {
    }

    private TieredBytes(CacheSettings settings, BytesSettings bytes, MemoryPlan plan, TimeProvider housekeepingClock, ILogger logger, CacheInstruments instruments)
        : base(
            settings,
            plan,
            (hasher, device, checkpoints) => new BytesLog(plan, hasher, device, checkpoints),
            new HotBytes(plan.HotRows, plan.InitialHotWays, MemoryPlan.MaximumHotWays, plan.SlotBytes),
            Fingerprint,
            housekeepingClock,
            logger,
            instruments)
    {
        _hot = (HotBytes)_rows;
        _bytesLog = (BytesLog)_log;
        _bytes = bytes;
        _pinned = new PinnedEntries(plan.PinnedBytes);
        try
        {
            LoadPinned();
        }
        catch
        {
            CloseHalfOpened();
            throw;
        }

        _wholeRecordBytes = Math.Min(LargestRecordBytes, plan.PageBytes / MemoryPlan.RecordsPerPage);
        _chunkBytes = _wholeRecordBytes - BytesRecord.BytesFor(KeyText.ChunkKeyBytes, new ValueHeader(default, 0, ValueKind.Chunk).Bytes);
    }

    /// <summary>Takes over the tag markers of the process before.</summary>
    private void LoadPinned()
    {
        bool isComplete = _pinned.TryLoad(TakeRecoveredPinned(), TimeOfJudgement.UtcTicks);
        _pinned.NotesOverflowed = () => ForgoWarmth("there are too many tag markers");
        _pinned.Notes = Notes;
        if (isComplete) return;
        Clear(); // without a marker, what it invalidates would come back
        Log.MarkersOverflowed(_logger, _settings.Name, _plan.PinnedBytes);
    }

    protected override bool TryBeginTrail(BytesSession session, ReadOnlySpan<byte> record, ulong hash) =>
        BytesRecord.TryRead(record, out var parsed) && session.Locate(parsed.Key, hash, out session.Trail) == Lookup.OnDisk;

    protected override bool TryFollow(BytesReader reader, ReadOnlySpan<byte> record, ref DiskTrail trail, out bool found)
    {
        FoundValue value = default;
        var none = ValueBuffer.None;
        BytesRecord.TryRead(record, out var parsed);
        bool isRead = reader.TryRead(parsed.Key, ref trail, ref value, ref none, out var lookup);
        found = lookup == Lookup.Found;
        return isRead;
    }

    protected override void OnCleared() => _pinned.Clear();

    protected override void OnResized(MemoryPlan plan)
    {
        if (_pinned.TryResize(plan.PinnedBytes, Now)) return;
        Clear(); // without a marker, what it invalidates would come back
        Log.MarkersOverflowed(_logger, _settings.Name, plan.PinnedBytes);
    }

    protected override int PinnedCount => _pinned.Count;

    protected override byte[] SavePinned() => _pinned.Save();

    private static MemoryPlan PlanFor(CacheSettings settings, BytesSettings bytes)
    {
        int typicalPart = TypicalPartBytes(bytes.TypicalEntryBytes);
        int typical = BytesRecord.BytesFor(0, ValueHeader.MaximumBytes + typicalPart);
        int longestKey = BytesRecord.BytesFor(KeyText.MaximumBytes(KeyText.MaximumLength), ValueHeader.MaximumBytes + AlwaysWholeBytes);
        var record = new RecordShape(typical, BytesRecord.SmallestBytes, LargestRecordBytes, longestKey);
        var plan = MemoryPlan.Create(settings.MemoryBudget, settings.DiskBudget, record, HotBytes.SlotBytesFor(typicalPart), ReadBuffers, settings.HotTierShare, settings.Name);
        return DiskTier.PlanFor(plan, settings, Fingerprint);
    }

    /// <summary>How much of a usual entry is in one record. Where pages are as small as can be it is cut into the most: pieces, a shorter one at the end of a page and of the value, and their list.</summary>
    private static int TypicalPartBytes(int entryBytes)
    {
        int wholePieces = entryBytes / MemoryPlan.LeastWholeBytes;
        return wholePieces == 0 ? entryBytes : entryBytes / (wholePieces + 3);
    }

    /// <summary>The hash of a key that has just been encoded.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ulong HashOf(string key, ReadOnlySpan<byte> encoded) =>
        KeyText.IsAscii(encoded) && key.Length is >= KeyHasher.FewestNarrowed and <= KeyHasher.MostNarrowed && Vector128.IsHardwareAccelerated ? _hasher.HashNarrowed(key, encoded[0]) : _hasher.Hash(encoded);

    private long Now => _clock.GetUtcNow().UtcTicks;
}
