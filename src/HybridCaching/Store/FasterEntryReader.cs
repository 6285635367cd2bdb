using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using FASTER.core;
using HybridCaching.Devices;
using HybridCaching.Records;

namespace HybridCaching.Store;

/// <summary>Parses FASTER's records as they lie on the disk: header, key, entry. What a damaged block could make of them is harmless: nothing is followed upwards.</summary>
internal sealed unsafe class FasterEntryReader<TKey, TStored, TValue>(FasterEntryLog<TKey, TStored, TValue> log, RecordRead read) : EntryReader<TKey, TValue>(log.Device, read)
    where TKey : unmanaged
    where TStored : unmanaged
    where TValue : unmanaged
{
    /// <summary>So many records before one is shown, whoever takes it is told.</summary>
    private const int LookAhead = 12;

    private long _collecting = -1;

    public override bool TryRead(in TKey key, ref DiskTrail trail, ref Entry<TValue> entry, out bool found)
    {
        found = false;
        bool isEnded = Read.TakeEnded();
        do
        {
            for (; log.IsOnDisk(in trail); isEnded = false)
            {
                if (!isEnded && (found = TryReadAlone(in key, in trail, ref entry))) return true;
                if (!log.Device!.TryRead(Read, trail.Address, isEnded)) return false;
                var record = log.Device!.BytesAt(Read, trail.Address);
                if (record.IsEmpty) break;
                var info = MemoryMarshal.Read<RecordInfo>(record);
                if (info.Valid && IsOf(in key, record[RecordInfo.GetLength()..]))
                {
                    // Asked again after the bytes were there: what is cleared by now must not be found. What was let go by now is found where it is led to from there.
                    if (!info.Tombstone && !log.IsOnDisk(in trail)) break;
                    found = !info.Tombstone;
                    if (found) entry = EntryOf(record);
                    return true;
                }

                // A chain leads to ever older records.
                if (!trail.IsInChain || info.PreviousAddress >= trail.Address) break;
                trail.Address = info.PreviousAddress;
            }

            isEnded = false;
        }
        while (log.Settled is { } settled && settled.TryNext(ref trail));
        return true;
    }

    public override bool TryCollect(ref long address, long end, DateTimeOffset now, IRecordSink sink)
    {
        int recordBytes = EntryLog<TKey, TValue>.RecordBytes;
        bool isEnded = Read.TakeEnded();
        if (!log.IsAnywhereOnDisk(address))
        {
            address = end;
            return true;
        }

        if (address != _collecting) (_collecting, Read.Wanted, Read.Needed) = (address, (int)Math.Min(Read.Largest, log.EndOfPage(address) - address), recordBytes);
        if (!log.Device!.TryRead(Read, address, isEnded)) return false;
        _collecting = -1;
        bool isMain = log.Settled?.IsMain(address) == true;
        var bytes = log.Device!.BytesAt(Read, address);
        if (bytes.Length < recordBytes)
        {
            if (Read.Wanted > recordBytes) (_collecting, Read.Wanted) = (address, recordBytes); // a block further on may be damaged
            else if (log.Device!.IsNothingAt(address, log.EndOfPage(address))) address = log.EndOfPage(address);
            else address = isMain ? EntryLog<TKey, TValue>.NextBlock(address) : EntryLog<TKey, TValue>.NextRecord(address, log.PageBytesAt(address));
            return true;
        }

        long start = address;
        while (address < end && address - start + recordBytes <= bytes.Length)
        {
            int at = (int)(address - start);
            var record = bytes.Slice(at, recordBytes);
            if (at + ((LookAhead + 1) * recordBytes) <= bytes.Length) sink.Expect(log.HashOf(EntryLog<TKey, TValue>.KeyOf(bytes[(at + (LookAhead * recordBytes))..])));
            var info = MemoryMarshal.Read<RecordInfo>(record);
            if (!info.Valid)
            {
                address = isMain ? EntryLog<TKey, TValue>.NextBlock(address) : EntryLog<TKey, TValue>.NextRecord(address, log.PageBytesAt(address));
                continue;
            }

            if (!info.Tombstone) Show(address, record, now, sink);
            address = EntryLog<TKey, TValue>.NextRecord(address, log.PageBytesAt(address));
        }

        return true;
    }

    private void Show(long address, ReadOnlySpan<byte> record, DateTimeOffset now, IRecordSink sink)
    {
        var key = EntryLog<TKey, TValue>.KeyOf(record);
        var entry = EntryOf(record);
        if (!EntryHeader.IsIntact(in key, in entry) || EntryHeader.IsExpired(entry.Header, now)) return;
        ulong hash = log.HashOf(in key);
        sink.Take(address, hash, record, owner: hash, hasName: true);
    }

    public override bool TryReadAt(long address, out TKey key, ref Entry<TValue> entry, out bool isRecord)
    {
        key = default;
        isRecord = false;
        bool isEnded = Read.TakeEnded();
        if (!log.IsAnywhereOnDisk(address)) return true;
        if (!log.Device!.TryRead(Read, address, isEnded)) return false;
        var record = log.Device!.BytesAt(Read, address);
        if (record.IsEmpty) return true;
        var info = MemoryMarshal.Read<RecordInfo>(record);
        isRecord = info.Valid && !info.Tombstone;
        key = EntryLog<TKey, TValue>.KeyOf(record);
        entry = EntryOf(record);
        return true;
    }

    /// <inheritdoc cref="LogReader.TryReadAlone"/>
    [SkipLocalsInit]
    private bool TryReadAlone(in TKey key, in DiskTrail trail, ref Entry<TValue> entry)
    {
        int recordBytes = EntryLog<TKey, TValue>.RecordBytes;
        if (recordBytes > MostAlone) return false;
        Span<byte> record = stackalloc byte[recordBytes];
        if (!TryReadAlone(in trail, record)) return false;
        var info = MemoryMarshal.Read<RecordInfo>(record);
        if (!info.Valid || info.Tombstone || !IsOf(in key, record[RecordInfo.GetLength()..])) return false;
        entry = EntryOf(record);
        return EntryHeader.IsIntact(in key, in entry) && log.IsOnDisk(in trail);
    }

    private static Entry<TValue> EntryOf(ReadOnlySpan<byte> record) => MemoryMarshal.Read<Entry<TValue>>(record[(RecordInfo.GetLength() + sizeof(TStored))..]);

    private static bool IsOf(in TKey key, ReadOnlySpan<byte> record)
    {
        var stored = StoredKey.Of<TKey, TStored>(in key);
        return record[..sizeof(TStored)].SequenceEqual(MemoryMarshal.AsBytes(new ReadOnlySpan<TStored>(in stored)));
    }
}
