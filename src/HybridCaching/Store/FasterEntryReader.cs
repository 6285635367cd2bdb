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
    public override bool TryRead(in TKey key, ref long address, ref Entry<TValue> entry, out bool found)
    {
        found = false;
        bool isEnded = Read.TakeEnded();
        for (; log.IsOnDisk(address); isEnded = false)
        {
            if (!log.Device!.TryRead(Read, address, isEnded)) return false;
            var record = log.Device!.BytesAt(Read, address);
            if (record.IsEmpty) return true;
            var info = MemoryMarshal.Read<RecordInfo>(record);
            if (info.Valid && IsOf(in key, record[RecordInfo.GetLength()..]))
            {
                // Asked again after the bytes were there: what is cleared by now must not be found.
                found = !info.Tombstone && log.IsOnDisk(address);
                if (found) entry = MemoryMarshal.Read<Entry<TValue>>(record[(RecordInfo.GetLength() + sizeof(TStored))..]);
                return true;
            }

            // A chain leads to ever older records.
            if (info.PreviousAddress >= address) return true;
            address = info.PreviousAddress;
        }

        return true;
    }

    public override bool TryReadAt(long address, out TKey key, ref Entry<TValue> entry, out bool isRecord)
    {
        key = default;
        isRecord = false;
        bool isEnded = Read.TakeEnded();
        if (!log.IsOnDisk(address)) return true;
        if (!log.Device!.TryRead(Read, address, isEnded)) return false;
        var record = log.Device!.BytesAt(Read, address);
        if (record.IsEmpty) return true;
        var info = MemoryMarshal.Read<RecordInfo>(record);
        isRecord = info.Valid && !info.Tombstone;
        key = MemoryMarshal.Read<TKey>(record[RecordInfo.GetLength()..]);
        entry = MemoryMarshal.Read<Entry<TValue>>(record[(RecordInfo.GetLength() + sizeof(TStored))..]);
        return true;
    }

    private static bool IsOf(in TKey key, ReadOnlySpan<byte> record)
    {
        var stored = StoredKey.Of<TKey, TStored>(in key);
        return record[..sizeof(TStored)].SequenceEqual(MemoryMarshal.AsBytes(new ReadOnlySpan<TStored>(in stored)));
    }
}
