using FASTER.core;
using HybridCaching.Diagnostics;
using HybridCaching.Records;

namespace HybridCaching.Store;

/// <summary>A session of the bytes log. Every operation enters the epoch by itself and leaves it before anything is waited for.</summary>
internal sealed unsafe class BytesSession : LogSession
{
    private readonly BytesLog _log;
    private readonly ClientSession<SpanByte, SpanByte, RecordSource, Empty, Empty, BytesFunctions> _session;
    private readonly UnsafeContext<SpanByte, SpanByte, RecordSource, Empty, Empty, BytesFunctions> _context;
    private readonly BytesReader _reader;
    private readonly EpochGate<SpanByte, SpanByte, RecordSource, Empty, BytesFunctions> _epoch;

    /// <param name="log">The log.</param>
    /// <param name="session">FASTER's session, this one's alone.</param>
    public BytesSession(BytesLog log, ClientSession<SpanByte, SpanByte, RecordSource, Empty, Empty, BytesFunctions> session)
    {
        _log = log;
        _reader = log.NewReader();
        _session = session;
        _context = session.UnsafeContext;
        _epoch = new(_context);
    }

    /// <summary>Looks a key up in memory, and where on the disk it would lie. Deadlines are not judged.</summary>
    /// <param name="key">The key, encoded.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="isLatched">Whether to keep the value from being overwritten while it is copied. If not, and somebody changes the key meanwhile, it may be half the one and half the other: the caller knows by its row.</param>
    /// <param name="found">What was found.</param>
    /// <param name="buffer">Where the value goes.</param>
    public Lookup Find(ReadOnlySpan<byte> key, ulong hash, bool isLatched, ref FoundValue found, ref ValueBuffer buffer)
    {
        for (BusyWait wait = default; ; wait.Once())
        {
            _epoch.Enter();
            try
            {
                long address = _log.NewestInChain(hash);
                if (!_log.TryFindInMemory(key, ref address))
                {
                    return _log.TryBeginTrail(hash, address, out Trail) ? Lookup.OnDisk : Lookup.NotFound;
                }

                FoundAddress = address;
                if (_log.TryCopy(address, isLatched, ref found, ref buffer, out var lookup)) return lookup;
            }
            finally
            {
                _epoch.Leave();
            }
        }
    }

    /// <summary>Looks on the disk, after <see cref="Find"/> said so, as far as no disk is needed.</summary>
    /// <returns>False if it is: a reader of the log can go on at <see cref="LogSession.Trail"/>, without this session.</returns>
    public bool TryReadDisk(ReadOnlySpan<byte> key, ref FoundValue found, ref ValueBuffer buffer, out Lookup lookup) =>
        _reader.TryRead(key, ref Trail, ref found, ref buffer, out lookup);

    /// <summary>Stores a value, in place if that may be; true if the key was not in memory, so that one more record now stands for it.</summary>
    /// <param name="key">The key, encoded.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="header">What precedes the value.</param>
    /// <param name="value">The value.</param>
    /// <param name="isAppended">Whether it was not stored in place.</param>
    public bool Upsert(ReadOnlySpan<byte> key, ulong hash, ref ValueHeader header, ReadOnlySpan<byte> value, out bool isAppended)
    {
        fixed (byte* keyStart = key, valueStart = value)
        fixed (ValueHeader* headerStart = &header)
        {
            var source = new RecordSource(headerStart, valueStart, value.Length);
            _epoch.Enter();
            try
            {
                long address = _log.NewestInChain(hash);
                _log.PrefetchSettled(hash, address); // memory answers while a record is appended
                bool isInMemory = _log.TryFindInMemory(key, ref address);
                bool isNew = !isInMemory || _log.IsRemoved(address);
                FoundAddress = isInMemory && isNew ? 0 : address;
                isAppended = !isInMemory || !_log.TryOverwrite(address, key.Length, in source);
                if (!isAppended) return false;
                var stored = new SpanByte(key.Length, (nint)keyStart);
                var room = new SpanByte(source.Bytes, 0);
                Empty output = default;
                _context.Upsert(ref stored, ref source, ref room, ref output);
                return isNew;
            }
            finally
            {
                _epoch.Leave();
            }
        }
    }

    /// <summary>Renews the deadline of the newest value of a key, if that lies where it may be changed. The caller has locked the row.</summary>
    public bool TryRenew(ReadOnlySpan<byte> key, ulong hash, long deadline)
    {
        _epoch.Enter();
        try
        {
            long address = _log.NewestInChain(hash);
            return _log.TryFindInMemory(key, ref address) && _log.TryRenew(address, key.Length, deadline);
        }
        finally
        {
            _epoch.Leave();
        }
    }

    /// <summary>Stores a value in place; if that may not be, removes what the log has of the key. Only if it could have been but for its length, or for having been written out early, a record is appended: the next value is stored in its place. Needs room for a record.</summary>
    /// <param name="key">The key, encoded.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="header">What precedes the value.</param>
    /// <param name="value">The value.</param>
    /// <param name="isAppended">Whether a record was appended.</param>
    /// <param name="wasInMemory">Whether the key was in memory.</param>
    /// <returns>True if the value was not stored, and the log does not have the key now. What it has let go may.</returns>
    public bool OverwriteOrRemove(ReadOnlySpan<byte> key, ulong hash, ref ValueHeader header, ReadOnlySpan<byte> value, out bool isAppended, out bool wasInMemory)
    {
        fixed (byte* keyStart = key, valueStart = value)
        fixed (ValueHeader* headerStart = &header)
        {
            var source = new RecordSource(headerStart, valueStart, value.Length);
            _epoch.Enter();
            try
            {
                long address = _log.NewestInChain(hash);
                bool isInMemory = _log.TryFindInMemory(key, ref address);
                wasInMemory = isInMemory && !_log.IsRemoved(address);
                isAppended = false;
                FoundAddress = address;
                if (wasInMemory && _log.TryOverwrite(address, key.Length, in source)) return false;
                isAppended = wasInMemory && _log.BytesToOverwrite(address) <= 0;
                var stored = new SpanByte(key.Length, (nint)keyStart);
                var room = new SpanByte(source.Bytes, 0);
                Empty output = default;
                if (isAppended) _context.Upsert(ref stored, ref source, ref room, ref output);
                else if (wasInMemory || (!isInMemory && _log.IsOnDisk(address))) _context.Delete(ref stored);
                return !isAppended;
            }
            finally
            {
                _epoch.Leave();
            }
        }
    }

    /// <summary>Removes a key. If it lies on the disk, a mark is appended.</summary>
    /// <returns>Whether there may have been something.</returns>
    public bool Delete(ReadOnlySpan<byte> key, ulong hash)
    {
        fixed (byte* keyStart = key)
        {
            _epoch.Enter();
            try
            {
                if (!_log.MayHold(hash)) return false;
                var stored = new SpanByte(key.Length, (nint)keyStart);
                var record = _context.Delete(ref stored).Record;
                return record.Created || record.InPlaceUpdated;
            }
            finally
            {
                _epoch.Leave();
            }
        }
    }

    /// <summary>Shows what is in memory from an address on, record by record. Nothing may be waited for meanwhile.</summary>
    /// <param name="address">Where to begin; a record begins there.</param>
    /// <param name="end">Where to end.</param>
    /// <param name="most">How many records to look at.</param>
    /// <param name="visitor">Is shown the records that hold a value.</param>
    /// <returns>Where to go on: at the end, or at the first record that was not looked at.</returns>
    public long Visit<TVisitor>(long address, long end, int most, ref TVisitor visitor)
        where TVisitor : struct, IRecordVisitor, allows ref struct
    {
        _epoch.Enter();
        try
        {
            for (; most > 0 && address < end && address >= _log.HeadAddress; most--)
            {
                if (!_log.TryReadInMemory(address, out var record))
                {
                    address = _log.BehindGap(address);
                    continue;
                }

                if (!record.Info.Tombstone) visitor.Visit(address, in record);
                address += record.Bytes;
            }

            return address;
        }
        finally
        {
            _epoch.Leave();
        }
    }

    public override bool TryShowNewest(ref long address, long end, DateTimeOffset now, INewestSink sink)
    {
        _epoch.Enter();
        try
        {
            for (int i = 0; i < RecordsPerStay && address < end; i++)
            {
                if (address < _log.HeadAddress)
                {
                    address = end;
                }
                else if (!_log.TryReadInMemory(address, out var record))
                {
                    address = _log.BehindGap(address);
                }
                else
                {
                    if (_log.IsNewest(address, in record, now.UtcTicks, out ulong hash, out ulong owner, out bool hasName) && !sink.TryTake(address, hash, record.All, owner, hasName)) return false;
                    address += record.Bytes;
                }
            }

            return true;
        }
        finally
        {
            _epoch.Leave();
        }
    }

    public override bool? IsNewestInMemory(long address)
    {
        _epoch.Enter();
        try
        {
            return address < _log.HeadAddress ? null : _log.IsNewest(address);
        }
        finally
        {
            _epoch.Leave();
        }
    }

    /// <summary>Where the newest record of a key is, as far as memory tells.</summary>
    /// <returns>Found or OnDisk, with the address where the record is or where to look for it on the disk; NotFound.</returns>
    public Lookup Locate(ReadOnlySpan<byte> key, ulong hash, out DiskTrail trail)
    {
        _epoch.Enter();
        try
        {
            long address = _log.NewestInChain(hash);
            trail = new DiskTrail(hash, address);
            if (_log.TryFindInMemory(key, ref trail.Address)) return _log.IsRemoved(trail.Address) ? Lookup.NotFound : Lookup.Found;
            return _log.TryBeginTrail(hash, trail.Address, out trail) ? Lookup.OnDisk : Lookup.NotFound;
        }
        finally
        {
            _epoch.Leave();
        }
    }

    public override void Dispose() => _session.Dispose();
}
