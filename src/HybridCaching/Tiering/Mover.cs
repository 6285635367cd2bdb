using System.Diagnostics;
using HybridCaching.Diagnostics;
using HybridCaching.HotTier;
using HybridCaching.Store;

namespace HybridCaching.Tiering;

/// <summary>Looks through the oldest segment of a log before it goes, and decides what becomes of its records. One caller at a time.</summary>
/// <remarks>
/// The queues are those of S3-FIFO (Yang et al., "FIFO queues are all you need for cache eviction", SOSP 2023), on the disk. FASTER's log and what it has let go are the small queue: its segments stay where
/// they are, on probation, and the index of settled records leads to the records that count. At the end of probation, what was read on the disk is copied to the main log; what was not goes, and the ghost
/// remembers its key. In the main log each hit that was counted is worth one more round.
/// A record is copied, the copy written, and only then, under the lock of the key's row, does the index lead to the copy: if it still led to the record. See docs/concurrency.md.
/// </remarks>
internal sealed class Mover : IRecordSink
{
    /// <summary>Where nearly all of the main log was read, one value in so many goes all the same, or there would never be room.</summary>
    private const int UnluckyOneIn = 8;

    /// <summary>So many segments of the main log in a row agree on who is unlucky: the pieces of a value lie in neighbouring ones, and none is worth anything without the others.</summary>
    private const int SegmentsOfOneMind = 64;

    /// <summary>What the segments of the main log had to keep is averaged over about so many.</summary>
    private const int KeptSample = 4;

    /// <summary>So many segments are kept free for copies while a segment is looked through.</summary>
    private const int ReservedSegments = 2;

    /// <summary>Probation is a tenth of the disk at least, as the small queue of S3-FIFO.</summary>
    private const int ProbationPart = 10;

    /// <summary>Of so many records at least it is known how many are named by their key.</summary>
    private const int ShareSample = 64;

    /// <summary>So many copies before the index leads to one, memory is asked for what that takes.</summary>
    private const int LookAhead = 8;

    /// <summary>A fuller index turns too many records out.</summary>
    private const double MostOccupancy = 0.8;

    private const ulong Spread = 0xD6E8_FEB8_6659_FD93;

    private static readonly TimeSpan LookInterval = TimeSpan.FromMilliseconds(20);

    private readonly HybridLog _log;
    private readonly SettledLog _settled;
    private readonly HotRows _rows;
    private volatile Ghost _ghost;
    private volatile HitCounts _hits;
    private readonly LogReader _reader;
    private readonly IRecordJudge _judge;
    private readonly Func<bool> _mustPause;
    private readonly Func<bool> _mustStop;
    private readonly List<Copy> _copies = [];
    private readonly long _segmentBytes;
    private long _leastProbationBytes;
    private Source _source;
    private bool _hasEnded;
    private long _copiedBytes;
    private double _keptOfMain;
    private ulong _mind;
    private long _decided;
    private long _named;
    private long _progress;
    private long _waitingSince;
    private long _dropped;

    /// <param name="log">FASTER's log; what it lets go is kept.</param>
    /// <param name="rows">The locks of the keys.</param>
    /// <param name="ghost">Remembers what goes at the end of probation.</param>
    /// <param name="hits">The hits on the disk on FASTER's log.</param>
    /// <param name="reader">A reader of many records at once, for this alone.</param>
    /// <param name="judge">Knows whether a record of FASTER's log is what its key stands for, where the chain of the key begins with another.</param>
    /// <param name="segmentBytes">Bytes of a segment.</param>
    /// <param name="segments">How many segments there are in all.</param>
    /// <param name="mustPause">Asked between two pieces of a segment.</param>
    /// <param name="mustStop">Asked while the disk is waited for: whether never to go on.</param>
    public Mover(HybridLog log, HotRows rows, Ghost ghost, HitCounts hits, LogReader reader, IRecordJudge judge, long segmentBytes, int segments, Func<bool> mustPause, Func<bool> mustStop)
    {
        _log = log;
        _settled = log.Settled!;
        _rows = rows;
        _ghost = ghost;
        _hits = hits;
        _reader = reader;
        _judge = judge;
        _segmentBytes = segmentBytes;
        _leastProbationBytes = segments * segmentBytes / ProbationPart;
        _mustPause = mustPause;
        _mustStop = mustStop;
    }

    private enum Source
    {
        Log,
        Probation,
        Main,
    }

    /// <summary>Changes as long as the mover gets on.</summary>
    public long Progress => Interlocked.Read(ref _progress);

    /// <summary>For how long it has been waiting for what it asked of the disk; zero if it does not.</summary>
    public TimeSpan TimeWaited => Volatile.Read(ref _waitingSince) is > 0 and var since ? Stopwatch.GetElapsedTime(since) : TimeSpan.Zero;

    /// <summary>Whether records that stood for their key went since <see cref="TakeDropped"/> was asked last.</summary>
    public bool HasDropped => Volatile.Read(ref _dropped) > 0;

    /// <summary>How many they are.</summary>
    public long TakeDropped() => (_dropped, _dropped = 0).Item1;

    /// <summary>Whether something settled has to go before FASTER's log may let a segment go.</summary>
    public bool IsFull => _settled.FreeSegments <= ReservedSegments || IsCrowded;

    /// <summary>Whether the index is fuller than it should be, words that lead nowhere not counted: what had expired, was damaged or went unseen left them.</summary>
    public bool IsCrowded
    {
        get
        {
            if (_settled.Index.Occupancy > MostOccupancy && _settled.Index.IsSweepDue) _settled.Index.Sweep();
            return _settled.Index.Occupancy > MostOccupancy;
        }
    }

    /// <summary>Goes on with other tables, and another number of segments in all.</summary>
    public void Resize(Ghost ghost, HitCounts hits, int segments)
    {
        (_ghost, _hits) = (ghost, hits);
        Volatile.Write(ref _leastProbationBytes, segments * _segmentBytes / ProbationPart);
    }

    /// <summary>Remembers what goes at the end of probation, or was not written.</summary>
    public Ghost Ghost => _ghost;

    /// <summary>The hits on FASTER's log.</summary>
    public HitCounts Hits => _hits;

    /// <summary>Called between two pieces of a segment, and while the disk is waited for, if there is something else to do.</summary>
    public Action? Meanwhile { get; set; }

    /// <summary>What may be written; null for any number of bytes.</summary>
    public Devices.WriteBudget? Budget { get; init; }

    /// <summary>So many hits are not worth a copy. While there is little to write, one is not enough for one more round in the main log: that costs a quarter of a point of the hits and saves a fifth of the writes.</summary>
    private int WorthlessHits => _source == Source.Main && Budget is { IsShort: true } ? 1 : 0;

    /// <summary>Whether it was stopped, and nothing may be copied any more.</summary>
    public bool HasEnded => _hasEnded;

    /// <summary>Collects a copy of a record in memory that is what its key stands for. Waits for nothing.</summary>
    /// <param name="hash">The hash of its key.</param>
    /// <param name="address">Where it lies.</param>
    /// <param name="record">The record.</param>
    /// <returns>False if what was collected has to be written first, or there is no room.</returns>
    public bool TryCollect(ulong hash, long address, ReadOnlySpan<byte> record)
    {
        if (!_settled.TryAppend(record, out long copy)) return false;
        _copies.Add(new Copy(hash, address, copy, Hits: 0, IsFirst: true));
        return true;
    }

    /// <summary>Goes on with the next segment of the main log, where nothing is collected.</summary>
    public void SkipToNextSegment() => _settled.SkipToNextSegment();

    /// <summary>Looks through a part of FASTER's log that has left memory, or until it shall pause, and settles its records.</summary>
    /// <returns>How far it came.</returns>
    public long LookThroughLog(long begin, long end, DateTimeOffset now) => LookThrough(begin, end, now, Source.Log);

    /// <summary>Looks through the oldest segment of those on probation, or of the main log, or until it shall pause; what it has looked at is dropped.</summary>
    /// <returns>False if there is none.</returns>
    public bool TryMakeRoom(DateTimeOffset now)
    {
        bool hasProbation = HasProbation;
        bool hasMain = HasMain;
        if (IsProbationNext)
            _settled.DropProbation(LookThrough(_settled.ProbationBegin, _settled.EndOfOldestProbation, now, Source.Probation));
        else if (hasMain)
            LookThroughMain(now);
        return hasProbation || hasMain;
    }

    /// <summary>Drops as it is what <see cref="TryMakeRoom"/> would look through next. For any caller.</summary>
    /// <returns>False if there is nothing.</returns>
    public bool TryDropNext()
    {
        var (probation, main) = (_settled.EndOfOldestProbation, _settled.EndOfOldestMain); // if somebody else drops it now, this does nothing
        bool isThere = HasProbation || HasMain;
        if (IsProbationNext) _settled.DropProbation(probation);
        else if (isThere) _settled.DropMain(main);
        return isThere;
    }

    private bool HasProbation => _settled.EndOfOldestProbation <= _log.BeginAddress;

    private bool HasMain => _settled.MainTail > _settled.MainBegin;

    private bool IsProbationNext => HasProbation && (!HasMain || _log.TailAddress - _settled.ProbationBegin > Volatile.Read(ref _leastProbationBytes));

    /// <summary>Has the disk asked for what a reader stopped at, and waits for it.</summary>
    /// <returns>False if the mover was stopped.</returns>
    public bool WaitForDisk(LogReader reader)
    {
        reader.Post();
        Volatile.Write(ref _waitingSince, Stopwatch.GetTimestamp());
        bool hasCome;
        while (!(hasCome = reader.Wait(LookInterval)))
        {
            Meanwhile?.Invoke();
            if (!_mustStop()) continue;
            _hasEnded = true;
            reader.TryAbandon(static () => { });
            break;
        }

        Volatile.Write(ref _waitingSince, 0);
        return hasCome;
    }

    public void Expect(ulong hash)
    {
        if (_source == Source.Log)
        {
            _log.PrefetchForMemory(hash);
            ExpectToLead(hash, owner: hash);
        }
        else
        {
            _settled.Index.Prefetch(hash);
            if (_source == Source.Probation) _ghost.Prefetch(hash);
        }
    }

    public void Take(long address, ulong hash, ReadOnlySpan<byte> record, ulong owner, bool hasName)
    {
        if (_hasEnded) return;
        if (_source == Source.Log) Settle(address, hash, record, owner, hasName);
        else if (_settled.Index.TryHitsOf(hash, address, out int hits)) Decide(address, hash, record, IsUnlucky(owner) ? 0 : hits, hasName);
    }

    /// <summary>Lets the index lead to a record of FASTER's log, if that is what its key stands for.</summary>
    private void Settle(long address, ulong hash, ReadOnlySpan<byte> record, ulong owner, bool hasName)
    {
        if (_log.NewestInChain(hash) == address && TrySettle(address, hash, record, owner, hasName, chain: 0)) return;
        while (_log.IsInUse(address) && _judge.IsNewestOnDisk(record, hash, address, out long chain) && !TrySettle(address, hash, record, owner, hasName, chain))
        {
            // A part of the chain has left memory meanwhile.
        }
    }

    /// <summary>The same, if the chain goes on on the disk still where it did when the record was found to be the newest there, or begins with it, if that is 0. False if it has changed.</summary>
    private bool TrySettle(long address, ulong hash, ReadOnlySpan<byte> record, ulong owner, bool hasName, long chain)
    {
        _rows.Lock(hash);
        try
        {
            bool isSame = chain == 0 ? _log.NewestInChain(hash) == address : _judge.ChainOnDisk(record, hash) == chain;
            if (isSame && _log.IsInUse(address)) LeadTo(hash, address, owner, hasName);
            return isSame;
        }
        finally
        {
            _rows.UnlockUnchanged(hash);
        }
    }

    /// <summary>Asks the processor to fetch what <see cref="LeadTo"/> will need.</summary>
    public void ExpectToLead(ulong hash, ulong owner)
    {
        ExpectToPublish(hash);
        _hits.Prefetch(owner);
    }

    /// <summary>Lets the index lead to a record of FASTER's log that is what its key stands for. The caller holds the lock of the key's row.</summary>
    public void LeadTo(ulong hash, long address, ulong owner, bool hasName)
    {
        if (_settled.Index.TryHitsOf(hash, address, out _)) return; // the rest of a page that was begun before a pause
        _settled.Index.Insert(hash, address, hasName ? _hits.Take(owner) : _hits.Of(owner)); // the list of the pieces, which has the name, was stored behind them
    }

    private void Decide(long address, ulong hash, ReadOnlySpan<byte> record, int hits, bool hasName)
    {
        _decided++;
        if (hasName) _named++;
        if (hits > WorthlessHits && _copiedBytes + record.Length <= _segmentBytes && TryCopy(record, out long copy))
        {
            _copiedBytes += record.Length;
            _copies.Add(new Copy(hash, address, copy, _source == Source.Main ? hits - 1 : 0));
            return;
        }

        _dropped++;
        _settled.Index.TryRemove(hash, address);
        if (_source == Source.Probation && hasName) _ghost.Add(hash);
    }

    /// <summary>Whether a value goes though it was read.</summary>
    private bool IsUnlucky(ulong owner) => _source == Source.Main && _keptOfMain > 1 - (1.0 / UnluckyOneIn) && Math.BigMul((owner ^ _mind) * Spread, UnluckyOneIn, out _) == 0;

    private void LookThroughMain(DateTimeOffset now)
    {
        long begin = _settled.MainBegin;
        long end = _settled.EndOfOldestMain;
        _mind = (ulong)(begin / _segmentBytes / SegmentsOfOneMind) * Spread;
        long seen = LookThrough(begin, end, now, Source.Main);
        if (seen > begin) _keptOfMain += (((double)_copiedBytes / (seen - begin)) - _keptOfMain) / KeptSample;
        _settled.DropMain(seen);
    }

    private long LookThrough(long address, long end, DateTimeOffset now, Source source)
    {
        (_source, _copiedBytes) = (source, 0);
        long start = address;
        while (address < end && !_hasEnded && !_mustPause())
        {
            if (_reader.TryCollect(ref address, end, now, this)) Interlocked.Increment(ref _progress);
            else WaitForDisk(_reader);
            Meanwhile?.Invoke();
        }

        if (!_hasEnded) Write();
        LimitGhost();
        return _hasEnded ? start : Math.Min(address, end);
    }

    /// <summary>The ghost is as long as there are keys on the disk, as in S3-FIFO; and half as long again, since its sets are not equally full. A longer one takes what comes back by chance for what is wanted.</summary>
    private void LimitGhost()
    {
        if (_decided < ShareSample) return;
        _ghost.Limit((long)(_settled.Index.Count * (_named / (double)_decided) * 3 / 2));
        (_named, _decided) = (_named / 2, _decided / 2);
    }

    private bool TryCopy(ReadOnlySpan<byte> record, out long copy)
    {
        if (_settled.TryAppend(record, out copy)) return true;
        Write();
        if (_hasEnded) return false;
        if (_settled.TryAppend(record, out copy)) return true;
        _settled.SkipToNextSegment();
        return _settled.TryAppend(record, out copy);
    }

    /// <summary>Writes the copies collected, and lets the index lead to them.</summary>
    public void Write()
    {
        bool isWritten = _settled.TryWrite(_mustStop, out _hasEnded);
        Interlocked.Increment(ref _progress);
        if (_copies.Count > 0) Fault.Point("move.written");
        for (int i = 0; isWritten && i < _copies.Count; i++)
        {
            if (i + LookAhead < _copies.Count) ExpectToPublish(_copies[i + LookAhead].Hash);
            Publish(_copies[i]);
        }

        if (_copies.Count > 0) Fault.Point("move.published");
        _copies.Clear();
    }

    private void ExpectToPublish(ulong hash)
    {
        _rows.Prefetch(hash);
        _settled.Index.Prefetch(hash);
    }

    private void Publish(in Copy copy)
    {
        _rows.Lock(copy.Hash);
        if (copy.IsFirst) PublishFirst(in copy);
        else if (_settled.HoldsReadable(copy.From)) _settled.Index.TryMove(copy.Hash, copy.From, copy.To, copy.Hits);
        _rows.UnlockUnchanged(copy.Hash);
    }

    /// <summary>Lets the index lead to the copy of a record of FASTER's log, if that is still what its key stands for.</summary>
    private void PublishFirst(in Copy copy)
    {
        if (_judge.IsNewestInMemory(copy.From) == true && _settled.Holds(copy.To)) _settled.Index.Insert(copy.Hash, copy.To, copy.Hits);
    }

    /// <summary>A record that was copied; the first copy is of a record of FASTER's log.</summary>
    private readonly record struct Copy(ulong Hash, long From, long To, int Hits, bool IsFirst = false);
}
