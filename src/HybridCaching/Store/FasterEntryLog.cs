using System.Runtime.CompilerServices;
using FASTER.core;
using HybridCaching.Configuration;
using HybridCaching.Devices;
using HybridCaching.Records;

namespace HybridCaching.Store;

/// <summary>A log of entries of one size: FASTER's fixed-size records.</summary>
internal sealed class FasterEntryLog<TKey, TStored, TValue> : FasterLog<TStored, Entry<TValue>, EntrySession<TKey, TValue>, EntryReader<TKey, TValue>>
    where TKey : unmanaged
    where TStored : unmanaged
    where TValue : unmanaged
{
    /// <summary>So many records ahead memory is asked for the chain of one.</summary>
    private const int LookAhead = 12;

    private readonly KeyComparer<TStored> _comparer;
    private readonly KeyHasher _hasher;

    public FasterEntryLog(MemoryPlan plan, KeyHasher hasher, LogDevice? device, ICheckpointManager? checkpoints, LogConcurrency concurrency)
        : this(plan, new KeyComparer<TStored>(hasher), device, checkpoints, concurrency) => _hasher = hasher;

    public ulong HashOf(in TKey key) => _hasher.Hash(in key);

    private FasterEntryLog(MemoryPlan plan, KeyComparer<TStored> comparer, LogDevice? device, ICheckpointManager? checkpoints, LogConcurrency concurrency)
        : base(plan, comparer, device, checkpoints, concurrency) => _comparer = comparer;

    /// <summary>Follows a chain as long as it is in memory. Inside the epoch only, which keeps the pages there.</summary>
    /// <returns>Whether a record of the key is there, at <paramref name="address"/>; else that is where the chain goes on.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public unsafe bool TryFindInMemory(ref TStored key, ref long address)
    {
        long head = HeadAddress;
        while (address >= head)
        {
            var record = RecordAt(address);
            if (record->Valid && _comparer.Equals(ref key, ref *(TStored*)(record + 1))) return true; // one just appended is not valid yet
            address = record->PreviousAddress;
        }

        return false;
    }

    /// <summary>Copies the entry of a record in memory without FASTER's latch. Inside the epoch only.</summary>
    /// <returns>False if only FASTER can tell.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public unsafe bool TryCopy(long address, ref Entry<TValue> entry, out bool isThere)
    {
        var record = RecordAt(address);
        var info = *record;
        isThere = !info.Tombstone && address >= State.ClearedBelow;
        if (info.IsClosed) return false;
        if (isThere) Entry<TValue>.Copy(ref EntryOf(record), ref entry);
        return true;
    }

    /// <summary>Overwrites the entry of a record in memory in place. Inside the epoch only.</summary>
    /// <returns>False if it may not be overwritten.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public unsafe bool TryOverwrite(long address, in Entry<TValue> entry)
    {
        if (!TryBeginOverwrite(address)) return false;
        Entry<TValue>.Copy(in entry, ref EntryOf(RecordAt(address)));
        EndOverwrite(address);
        return true;
    }

    /// <summary>Reads the key of the record at an address, if it is in memory. Inside the epoch only.</summary>
    public unsafe bool TryReadKey(long address, out TKey key)
    {
        bool isInMemory = address >= HeadAddress;
        key = isInMemory ? Unsafe.ReadUnaligned<TKey>(RecordAt(address) + 1) : default;
        return isInMemory;
    }

    /// <summary>Reads the record at an address that is in memory and cannot be overwritten any more. Inside the epoch only.</summary>
    /// <returns>False if there is none that is whole and alive and what its key stands for.</returns>
    public unsafe bool TryReadNewest(long address, DateTimeOffset now, out ReadOnlySpan<byte> record, out ulong hash)
    {
        var info = RecordAt(address);
        record = new ReadOnlySpan<byte>(info, EntryLog<TKey, TValue>.RecordBytes);
        hash = 0;
        if (!info->Valid || info->Tombstone || !IsInUse(address)) return false;
        var key = EntryLog<TKey, TValue>.KeyOf(record);
        ref var entry = ref EntryOf(info);
        if (!EntryHeader.IsIntact(in key, in entry) || EntryHeader.IsExpired(entry.Header, now)) return false;
        hash = HashOf(in key);
        return IsNewest(address, hash);
    }

    /// <summary>Asks the processor to fetch the chain of a record that will be looked at soon, some records behind one in memory, if it is on the same page. Inside the epoch only.</summary>
    public void PrefetchChainBehind(long address)
    {
        long behind = address + (LookAhead * EntryLog<TKey, TValue>.RecordBytes);
        if (behind + EntryLog<TKey, TValue>.RecordBytes <= EndOfPage(address)) PrefetchForMemory(HashAt(behind));
    }

    /// <summary>Whether a record in memory is what its key stands for, unless a newer one is being appended. Inside the epoch only.</summary>
    public bool IsNewest(long address) => IsInUse(address) && IsNewest(address, HashAt(address));

    private unsafe ulong HashAt(long address) => HashOf(Unsafe.ReadUnaligned<TKey>(RecordAt(address) + 1));

    private unsafe bool IsNewest(long address, ulong hash)
    {
        long newest = NewestInChain(hash);
        return newest == address || (TryFindInMemory(ref *(TStored*)(RecordAt(address) + 1), ref newest) && newest == address);
    }

    public override EntrySession<TKey, TValue> NewSession()
    {
        var functions = new SessionFunctions<TStored, TValue>(State, UpdatesInPlace);
        return new FasterEntrySession<TKey, TStored, TValue>(this, Store.For(functions).NewSession<SessionFunctions<TStored, TValue>>());
    }

    public override EntryReader<TKey, TValue> NewReader() => new FasterEntryReader<TKey, TStored, TValue>(this, new RecordRead(EntryLog<TKey, TValue>.RecordBytes));

    public override EntryReader<TKey, TValue> NewCollector() => new FasterEntryReader<TKey, TStored, TValue>(this, new RecordRead(Plan.MoveBytes - MemoryPlan.BlockBytes)) { IsTraced = false };

    private static unsafe ref Entry<TValue> EntryOf(RecordInfo* record) => ref *(Entry<TValue>*)((TStored*)(record + 1) + 1);
}
