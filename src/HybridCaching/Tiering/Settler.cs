using HybridCaching.Devices;
using HybridCaching.Diagnostics;
using HybridCaching.HotTier;
using HybridCaching.Store;

namespace HybridCaching.Tiering;

/// <summary>Lets the index of settled records lead to what FASTER's log has written: then it is found again after a sudden end of the process, and the log may let it go. One caller at a time.</summary>
/// <remarks>
/// It is done page by page, soon after a page has been written, while its records are still in memory. What has left memory before its turn came is read from the disk. See docs/concurrency.md, "Settled records".
/// </remarks>
internal sealed class Settler : INewestSink
{
    /// <summary>So many records before the index leads to one, memory is asked for what that takes.</summary>
    private const int LookAhead = 12;

    /// <summary>No record begins before this address.</summary>
    private const long FirstAddress = 64;

    private readonly HybridLog _log;
    private readonly SettledLog _settled;
    private readonly LogDevice _device;
    private readonly HotRows _rows;
    private readonly Mover _mover;
    private readonly IRecordJudge _judge;
    private readonly List<(ulong Hash, long Address, ulong Owner, bool HasName)> _found = [];
    private readonly Queue<(long End, long Bytes)> _parts = new();
    private long _settledTo;
    private long _settledBytes;

    /// <param name="log">Whose records they are.</param>
    /// <param name="device">Knows what was written.</param>
    /// <param name="rows">The locks of the keys.</param>
    /// <param name="mover">Looks through what has left memory; knows the hits on the log.</param>
    /// <param name="judge">Shows the records of a page.</param>
    public Settler(HybridLog log, LogDevice device, HotRows rows, Mover mover, IRecordJudge judge)
    {
        _log = log;
        _settled = log.Settled!;
        _device = device;
        _rows = rows;
        _mover = mover;
        _judge = judge;
        _settledTo = Math.Max(_settled.Index.Probation.Tail, log.BeginAddress);
        Count(_settledTo, _settledTo - log.BeginAddress);
    }

    /// <summary>What is before was looked at.</summary>
    public long SettledTo => Interlocked.Read(ref _settledTo);

    /// <summary>Bytes from an address of the log on whose records were settled.</summary>
    public long SettledBytesFrom(long begin)
    {
        lock (_parts)
        {
            while (_parts.TryPeek(out var part) && part.End <= begin) _settledBytes -= _parts.Dequeue().Bytes;
            return _settledBytes;
        }
    }

    /// <summary>Settles a page of what was written, or what of it shall be settled before there is a pause.</summary>
    /// <returns>False if there is nothing to settle now.</returns>
    public bool TrySettlePage(DateTimeOffset now)
    {
        long from = Math.Max(Math.Max(_settledTo, _log.BeginAddress), FirstAddress);
        long head = _log.HeadAddress;
        return from < head ? TrySettleFromDisk(from, Math.Min(head, _settled.EndOfSegment(from)), now) : TrySettleInMemory(from, Math.Min(_log.EndOfPage(from), _log.FlushedUntilAddress));
    }

    public bool TryTake(long address, ulong hash, ReadOnlySpan<byte> record, ulong owner, bool hasName)
    {
        _found.Add((hash, address, owner, hasName));
        return true;
    }

    private bool TrySettleFromDisk(long from, long end, DateTimeOffset now)
    {
        _settled.Extend(from, end);
        long seen = _mover.LookThroughLog(from, end, now);
        AdvanceTo(Math.Max(from, seen));
        Count(seen, seen - from);
        return seen > from;
    }

    private bool TrySettleInMemory(long from, long end)
    {
        if (end <= from) return false;
        if (!_device.AreWritten(from, end))
        {
            AdvanceTo(end);
            return true;
        }

        _settled.Extend(from, end);
        Fault.Point("settle.extended");
        long begin = from;
        while (from < end)
        {
            long next = from;
            _judge.TryShow(ref next, end, this);
            Fault.Point("settle.shown");
            bool isInMemory = _log.HeadAddress <= from; // or else some were not shown
            if (isInMemory && !TryPublish(out long left)) (isInMemory, from) = (false, left);
            _found.Clear();
            if (!isInMemory) break; // the rest is on the disk now
            from = next;
        }

        AdvanceTo(from);
        Count(from, from - begin);
        Fault.Point("settle.page");
        return true;
    }

    private void Count(long end, long bytes)
    {
        if (bytes <= 0) return;
        lock (_parts)
        {
            _parts.Enqueue((end, bytes));
            _settledBytes += bytes;
        }
    }

    private void AdvanceTo(long address) => Interlocked.Exchange(ref _settledTo, address);

    /// <summary>Lets the index lead to the records found, as far as they are still what their keys stand for.</summary>
    /// <returns>False if one has left memory meanwhile.</returns>
    private bool TryPublish(out long left)
    {
        for (int i = 0; i < _found.Count; i++)
        {
            if (i + LookAhead < _found.Count) _mover.ExpectToLead(_found[i + LookAhead].Hash, _found[i + LookAhead].Owner);
            var (hash, address, owner, hasName) = _found[i];
            _rows.Lock(hash);
            bool? isNewest = _log.NewestInChain(hash) == address ? _log.IsInUse(address) : _judge.IsNewestInMemory(address);
            if (isNewest == true) _mover.LeadTo(hash, address, owner, hasName);
            _rows.UnlockUnchanged(hash);
            left = address;
            if (isNewest is null) return false;
        }

        left = 0;
        return true;
    }
}
