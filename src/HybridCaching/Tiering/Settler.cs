using HybridCaching.Devices;
using HybridCaching.Diagnostics;
using HybridCaching.HotTier;
using HybridCaching.Store;

namespace HybridCaching.Tiering;

/// <summary>Lets the index of settled records lead to what FASTER's log has written: then it is found again after a sudden end of the process, and the log may let it go. One caller at a time.</summary>
/// <remarks>
/// It is done page by page, soon after a page has been written, while its records are still in memory. What has left memory before its turn came is read from the disk later, while what comes after it is settled in memory: who once is late
/// would else be late for ever, and read again all that is written. See docs/concurrency.md, "Settled records".
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
    private readonly PriorityQueue<long, long> _parts = new();

    /// <summary>What left memory before its turn came, in the order of the log.</summary>
    private readonly List<(long From, long To)> _late = [];

    /// <summary>What is before was looked at, or is late.</summary>
    private long _lookedTo;
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
        _settledTo = _lookedTo = Math.Max(Math.Max(_settled.Index.Probation.Tail, log.BeginAddress), FirstAddress);
        Count(_settledTo, _settledTo - log.BeginAddress);
    }

    /// <summary>What is before was looked at.</summary>
    public long SettledTo => Interlocked.Read(ref _settledTo);

    /// <summary>The same, but for what is late.</summary>
    public long LookedTo => Interlocked.Read(ref _lookedTo);

    /// <summary>Changes as long as the settler gets on, in memory or with what is late.</summary>
    public long Progress => SettledTo + LookedTo;

    /// <summary>Bytes from an address of the log on whose records were settled.</summary>
    public long SettledBytesFrom(long begin)
    {
        lock (_parts)
        {
            ForgetBefore(begin);
            return _settledBytes;
        }
    }

    /// <summary>How many parts are remembered for that.</summary>
    public int PartsCounted => _parts.Count;

    /// <summary>Settles a page of what was written, or a part of what is late, if there is any.</summary>
    /// <returns>False if there is nothing to settle now.</returns>
    public bool TrySettle(DateTimeOffset now)
    {
        NoteWhatIsLate();
        return _late.Count > 0 ? TrySettleLate(now) : TrySettleInMemory();
    }

    /// <summary>Settles a page of what was written, if one is still in memory, though others may be late.</summary>
    /// <returns>False if there is none.</returns>
    public bool TrySettlePage()
    {
        NoteWhatIsLate();
        return TrySettleInMemory();
    }

    public bool TryTake(long address, ulong hash, ReadOnlySpan<byte> record, ulong owner, bool hasName)
    {
        _found.Add((hash, address, owner, hasName));
        return true;
    }

    private void NoteWhatIsLate()
    {
        long head = _log.HeadAddress;
        long from = Math.Max(_lookedTo, _log.BeginAddress);
        if (from < head)
        {
            if (_late.Count > 0 && _late[^1].To == from) _late[^1] = (_late[^1].From, head);
            else _late.Add((from, head));
        }

        AdvanceTo(Math.Max(from, head));
    }

    private bool TrySettleLate(DateTimeOffset now)
    {
        long from = Math.Max(_late[0].From, _log.BeginAddress);
        long end = Math.Min(_late[0].To, _settled.EndOfSegment(from));
        long seen = from;
        if (from < end)
        {
            _settled.Extend(from, end);
            seen = _mover.LookThroughLog(from, end, now);
            Count(seen, seen - from);
        }

        bool isAdvanced = seen > _late[0].From;
        if (seen < _late[0].To) _late[0] = (seen, _late[0].To);
        else _late.RemoveAt(0);
        AdvanceTo(_lookedTo);
        return isAdvanced;
    }

    private bool TrySettleInMemory()
    {
        long from = _lookedTo;
        long end = Math.Min(_log.EndOfPage(from), _log.FlushedUntilAddress);
        if (end <= from) return false;
        if (!_device.AreWritten(from, end))
        {
            AdvanceTo(end);
            return true;
        }

        _settled.Extend(SettledTo, end);
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
            _parts.Enqueue(bytes, end);
            _settledBytes += bytes;
            ForgetBefore(_log.BeginAddress); // nobody may ever ask
        }
    }

    private void ForgetBefore(long begin)
    {
        while (_parts.TryPeek(out _, out long end) && end <= begin) _settledBytes -= _parts.Dequeue();
    }

    private void AdvanceTo(long address)
    {
        Interlocked.Exchange(ref _lookedTo, address);
        Interlocked.Exchange(ref _settledTo, _late.Count > 0 ? _late[0].From : address);
    }

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
