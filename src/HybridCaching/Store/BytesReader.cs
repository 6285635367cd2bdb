using System.Runtime.CompilerServices;
using HybridCaching.Devices;
using HybridCaching.Records;

namespace HybridCaching.Store;

/// <summary>Reads records of any length from the disk: as much as records usually are, and once more if one is longer. What a damaged block could make of them is harmless: nothing is followed upwards.</summary>
internal sealed class BytesReader(BytesLog log, RecordRead read) : LogReader(log.Device, read)
{
    private long _fetching = -1;

    /// <summary>Looks for a key on the disk, as far as no disk is needed.</summary>
    /// <param name="key">The key, encoded.</param>
    /// <param name="trail">Where the look-up goes on; moved along.</param>
    /// <param name="found">What was found. Deadlines are not judged.</param>
    /// <param name="buffer">Where the value goes.</param>
    /// <param name="lookup">The result.</param>
    /// <returns>False if the disk is needed: <see cref="LogReader.Post"/>, <see cref="LogReader.Wait"/>, then call it again.</returns>
    public bool TryRead(ReadOnlySpan<byte> key, ref DiskTrail trail, ref FoundValue found, ref ValueBuffer buffer, out Lookup lookup)
    {
        lookup = Lookup.NotFound;
        bool isEnded = Read.TakeEnded();
        do
        {
            for (; log.IsOnDisk(in trail); isEnded = false)
            {
                if (!isEnded && TryReadAlone(key, in trail, ref found, ref buffer, out lookup)) return true;
                if (!TryFetch(trail.Address, log.UsualBytes, isEnded, out var record, out bool isThere)) return false;
                if (!isThere) break;
                if (record.Key.SequenceEqual(key))
                {
                    log.NoteLength(record.Bytes);

                    // Asked again after the bytes were there: what is cleared by now must not be found. What was let go by now is found where it is led to from there.
                    if (!record.Info.Tombstone && !log.IsOnDisk(in trail)) break;
                    if (!record.Info.Tombstone) lookup = BytesLog.TakeValue(in record, mustCheck: true, ref found, ref buffer);
                    return true;
                }

                // A chain leads to ever older records.
                if (!trail.IsInChain || record.Info.PreviousAddress >= trail.Address) break;
                trail.Address = record.Info.PreviousAddress;
            }

            isEnded = false;
        }
        while (log.Settled is { } settled && settled.TryNext(ref trail));
        return true;
    }

    /// <inheritdoc cref="LogReader.TryReadAlone"/>
    [SkipLocalsInit]
    private bool TryReadAlone(ReadOnlySpan<byte> key, in DiskTrail trail, ref FoundValue found, ref ValueBuffer buffer, out Lookup lookup)
    {
        lookup = Lookup.NotFound;
        int guess = (int)Math.Min(log.UsualBytes, log.EndOfPage(trail.Address) - trail.Address);
        if (guess > MostAlone) return false;
        Span<byte> bytes = stackalloc byte[MostAlone];
        bytes = bytes[..guess];
        if (!TryReadAlone(in trail, bytes) || !BytesRecord.TryRead(bytes, out var record) || record.Info.Tombstone || !record.Key.SequenceEqual(key) || !log.IsOnDisk(in trail)) return false;
        log.NoteLength(record.Bytes);
        if (!ValueHeader.TryParse(record.Payload, out var header, out _) || header.IsSliding) return false; // a deadline that slides is not part of the check
        lookup = BytesLog.TakeValue(in record, mustCheck: true, ref found, ref buffer);
        if (lookup == Lookup.Found) return true;
        lookup = Lookup.NotFound;
        return false;
    }

    public override bool TryCollect(ref long address, long end, DateTimeOffset now, IRecordSink sink)
    {
        if (!log.IsAnywhereOnDisk(address))
        {
            Read.TakeEnded();
            address = end;
            return true;
        }

        var collector = new LiveRecords(log, now.UtcTicks, sink);
        return TryVisit(ref address, end, ref collector, out _);
    }

    /// <summary>Shows the records of one piece of the log, as far as no disk is needed.</summary>
    /// <param name="address">Where to begin, and then where to go on; a record begins there.</param>
    /// <param name="end">Where to end.</param>
    /// <param name="visitor">Is shown the records that hold a value.</param>
    /// <param name="isReadable">False if what is there cannot be read, or makes no sense; the next page is then where to go on.</param>
    /// <returns>False if the disk is needed, as for <see cref="TryRead"/>.</returns>
    public bool TryVisit<TVisitor>(ref long address, long end, ref TVisitor visitor, out bool isReadable)
        where TVisitor : struct, IRecordVisitor, allows ref struct
    {
        isReadable = true;
        bool isEnded = Read.TakeEnded();
        if (!log.IsAnywhereOnDisk(address)) return true;
        if (log.EndOfPage(address) - address < BytesRecord.SmallestBytes)
        {
            address = log.EndOfPage(address);
            return true;
        }

        if (!TryFetch(address, Read.Largest, isEnded, out var record, out bool isThere)) return false;
        long start = address;
        var bytes = log.Device!.BytesAt(Read, start);
        if (!isThere)
        {
            int gap = bytes.IsEmpty ? 0 : BytesRecord.Gap(bytes);
            isReadable = gap > 0;
            address = isReadable ? Math.Min(address + gap, log.EndOfPage(address)) : log.EndOfPage(address);
            return true;
        }

        end = Math.Min(end, log.EndOfPage(start));
        do
        {
            if (!record.Info.Tombstone) visitor.Visit(address, in record);
            address += record.Bytes;
        }
        while (address < end && BytesRecord.TryRead(bytes[(int)Math.Min(bytes.Length, address - start)..], out record));
        return true;
    }

    /// <summary>Has the record at an address read, all of it.</summary>
    /// <param name="address">Where it begins.</param>
    /// <param name="guess">How much to read at first.</param>
    /// <param name="isEnded">Whether a read that was posted has just ended.</param>
    /// <param name="record">The record.</param>
    /// <param name="isThere">Whether there is one that can be read.</param>
    /// <returns>False if the disk is needed.</returns>
    private bool TryFetch(long address, int guess, bool isEnded, out BytesRecord record, out bool isThere)
    {
        record = default;
        if (_fetching != address) Ask(Math.Min(Math.Min(guess, Read.Largest), (int)(log.EndOfPage(address) - address)), BytesRecord.SmallestBytes);
        _fetching = address;
        while (log.Device!.TryRead(Read, address, isEnded))
        {
            var bytes = log.Device!.BytesAt(Read, address);
            int needed = bytes.IsEmpty ? 0 : BytesRecord.BytesNeeded(bytes);
            isThere = needed > 0 && needed <= bytes.Length && BytesRecord.TryRead(bytes, out record);
            if (!isThere && bytes.IsEmpty && Read.Wanted > Read.Needed)
            {
                Ask(Read.Needed, Read.Needed); // a block further on may be damaged
            }
            else if (!isThere && needed > Read.Needed && needed <= Read.Largest && needed <= log.EndOfPage(address) - address)
            {
                Ask(needed, needed);
            }
            else
            {
                _fetching = -1;
                return true;
            }

            isEnded = false;
        }

        isThere = false;
        return false;
    }

    private void Ask(int wanted, int needed) => (Read.Wanted, Read.Needed) = (wanted, needed);

    /// <summary>Passes on what is whole and alive.</summary>
    private readonly struct LiveRecords(BytesLog log, long now, IRecordSink sink) : IRecordVisitor
    {
        public void Visit(long address, in BytesRecord record)
        {
            if (!ValueHeader.TryParse(record.Payload, out var header, out var value)) return;
            if (header.Deadline != 0 && header.Lifetime.IsOver(now)) return;
            ulong hash = log.HashOf(record.Key);
            sink.Expect(hash);
            if (!header.IsIntact(record.Key, value)) return;
            sink.Take(address, hash, record.All, BytesLog.OwnerOf(hash, in record, in header, value), hasName: header.Kind != ValueKind.Chunk);
        }
    }
}
