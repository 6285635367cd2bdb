using FASTER.core;
using HybridCaching.Records;

namespace HybridCaching.Store;

/// <summary>FASTER's callbacks. A struct, so that the JIT closes them into the operations; they run inside the epoch and only copy bytes.</summary>
/// <remarks>
/// Values in the mutable region are overwritten in place, guarded by FASTER's latch in the record (ConcurrencyControlMode.RecordIsolation), so no reader sees half of one.
/// Judging an entry (check, deadline) is done by the caller, outside the epoch.
/// </remarks>
internal readonly struct SessionFunctions<TStored, TValue>(SharedLogState state, bool updateInPlace) : IFunctions<TStored, Entry<TValue>, Empty, Entry<TValue>, Empty>
    where TStored : unmanaged
    where TValue : unmanaged
{
    public bool ConcurrentReader(ref TStored key, ref Empty input, ref Entry<TValue> value, ref Entry<TValue> dst, ref ReadInfo readInfo) =>
        Read(ref value, ref dst, readInfo.Address);

    public bool SingleReader(ref TStored key, ref Empty input, ref Entry<TValue> value, ref Entry<TValue> dst, ref ReadInfo readInfo) =>
        Read(ref value, ref dst, readInfo.Address);

    public bool ConcurrentWriter(ref TStored key, ref Empty input, ref Entry<TValue> src, ref Entry<TValue> dst, ref Entry<TValue> output, ref UpsertInfo upsertInfo)
    {
        if (!updateInPlace || upsertInfo.Address < state.ClearedBelow) return false;
        Entry<TValue>.Copy(in src, ref dst);
        Volatile.WriteBarrier(); // FASTER unlocks the record with a plain store
        return true;
    }

    public bool SingleWriter(ref TStored key, ref Empty input, ref Entry<TValue> src, ref Entry<TValue> dst, ref Entry<TValue> output, ref UpsertInfo upsertInfo, WriteReason reason)
    {
        Entry<TValue>.Copy(in src, ref dst);
        return true;
    }

    public bool SingleDeleter(ref TStored key, ref Entry<TValue> value, ref DeleteInfo deleteInfo) => true;

    public bool ConcurrentDeleter(ref TStored key, ref Entry<TValue> value, ref DeleteInfo deleteInfo) => true;

    private bool Read(ref Entry<TValue> value, ref Entry<TValue> destination, long address)
    {
        if (address < state.ClearedBelow) return false;
        Entry<TValue>.Copy(in value, ref destination);
        return true;
    }

    // Not used: no read-modify-write, no disposal of values, no sessions that survive a restart.
    public void PostSingleWriter(ref TStored key, ref Empty input, ref Entry<TValue> src, ref Entry<TValue> dst, ref Entry<TValue> output, ref UpsertInfo upsertInfo, WriteReason reason)
    {
    }

    public void PostSingleDeleter(ref TStored key, ref DeleteInfo deleteInfo)
    {
    }

    public void ReadCompletionCallback(ref TStored key, ref Empty input, ref Entry<TValue> output, Empty ctx, Status status, RecordMetadata recordMetadata)
    {
    }

    public bool NeedInitialUpdate(ref TStored key, ref Empty input, ref Entry<TValue> output, ref RMWInfo rmwInfo) => false;

    public bool InitialUpdater(ref TStored key, ref Empty input, ref Entry<TValue> value, ref Entry<TValue> output, ref RMWInfo rmwInfo) => false;

    public void PostInitialUpdater(ref TStored key, ref Empty input, ref Entry<TValue> value, ref Entry<TValue> output, ref RMWInfo rmwInfo)
    {
    }

    public bool NeedCopyUpdate(ref TStored key, ref Empty input, ref Entry<TValue> oldValue, ref Entry<TValue> output, ref RMWInfo rmwInfo) => false;

    public bool CopyUpdater(ref TStored key, ref Empty input, ref Entry<TValue> oldValue, ref Entry<TValue> newValue, ref Entry<TValue> output, ref RMWInfo rmwInfo) => false;

    public void PostCopyUpdater(ref TStored key, ref Empty input, ref Entry<TValue> oldValue, ref Entry<TValue> newValue, ref Entry<TValue> output, ref RMWInfo rmwInfo)
    {
    }

    public bool InPlaceUpdater(ref TStored key, ref Empty input, ref Entry<TValue> value, ref Entry<TValue> output, ref RMWInfo rmwInfo) => false;

    public void RMWCompletionCallback(ref TStored key, ref Empty input, ref Entry<TValue> output, Empty ctx, Status status, RecordMetadata recordMetadata)
    {
    }

    public void DisposeSingleWriter(ref TStored key, ref Empty input, ref Entry<TValue> src, ref Entry<TValue> dst, ref Entry<TValue> output, ref UpsertInfo upsertInfo, WriteReason reason)
    {
    }

    public void DisposeCopyUpdater(ref TStored key, ref Empty input, ref Entry<TValue> oldValue, ref Entry<TValue> newValue, ref Entry<TValue> output, ref RMWInfo rmwInfo)
    {
    }

    public void DisposeInitialUpdater(ref TStored key, ref Empty input, ref Entry<TValue> value, ref Entry<TValue> output, ref RMWInfo rmwInfo)
    {
    }

    public void DisposeSingleDeleter(ref TStored key, ref Entry<TValue> value, ref DeleteInfo deleteInfo)
    {
    }

    public void DisposeDeserializedFromDisk(ref TStored key, ref Entry<TValue> value)
    {
    }

    public void CheckpointCompletionCallback(int sessionID, string sessionName, CommitPoint commitPoint)
    {
    }
}
