using FASTER.core;

namespace HybridCaching.Throughput.Contestants;

/// <summary>The callbacks of a bare store, as a struct so that the runtime inlines them. Overwriting in place where FASTER allows it.</summary>
internal readonly struct FasterFunctions<TValue>(FasterOutcome<TValue> outcome) : IFunctions<long, TValue, long, TValue, Empty>
    where TValue : unmanaged
{
    public bool SingleReader(ref long key, ref long input, ref TValue value, ref TValue dst, ref ReadInfo readInfo)
    {
        dst = value;
        return true;
    }

    public bool ConcurrentReader(ref long key, ref long input, ref TValue value, ref TValue dst, ref ReadInfo readInfo)
    {
        dst = value;
        return true;
    }

    public void ReadCompletionCallback(ref long key, ref long input, ref TValue output, Empty ctx, Status status, RecordMetadata recordMetadata)
    {
        outcome.Found = status.Found;
        outcome.Value = output;
    }

    public bool SingleWriter(ref long key, ref long input, ref TValue src, ref TValue dst, ref TValue output, ref UpsertInfo upsertInfo, WriteReason reason)
    {
        dst = src;
        return true;
    }

    public bool ConcurrentWriter(ref long key, ref long input, ref TValue src, ref TValue dst, ref TValue output, ref UpsertInfo upsertInfo)
    {
        dst = src;
        return true;
    }

    // Nothing is read, modified and written at once, and nothing deleted: the workloads do the former in two steps, for all contestants alike.
    public bool NeedInitialUpdate(ref long key, ref long input, ref TValue output, ref RMWInfo rmwInfo) => false;

    public bool InitialUpdater(ref long key, ref long input, ref TValue value, ref TValue output, ref RMWInfo rmwInfo) => false;

    public bool NeedCopyUpdate(ref long key, ref long input, ref TValue oldValue, ref TValue output, ref RMWInfo rmwInfo) => false;

    public bool CopyUpdater(ref long key, ref long input, ref TValue oldValue, ref TValue newValue, ref TValue output, ref RMWInfo rmwInfo) => false;

    public bool InPlaceUpdater(ref long key, ref long input, ref TValue value, ref TValue output, ref RMWInfo rmwInfo) => false;

    public bool SingleDeleter(ref long key, ref TValue value, ref DeleteInfo deleteInfo) => true;

    public bool ConcurrentDeleter(ref long key, ref TValue value, ref DeleteInfo deleteInfo) => true;

    public void PostSingleWriter(ref long key, ref long input, ref TValue src, ref TValue dst, ref TValue output, ref UpsertInfo upsertInfo, WriteReason reason) { }

    public void PostInitialUpdater(ref long key, ref long input, ref TValue value, ref TValue output, ref RMWInfo rmwInfo) { }

    public void PostCopyUpdater(ref long key, ref long input, ref TValue oldValue, ref TValue newValue, ref TValue output, ref RMWInfo rmwInfo) { }

    public void PostSingleDeleter(ref long key, ref DeleteInfo deleteInfo) { }

    public void RMWCompletionCallback(ref long key, ref long input, ref TValue output, Empty ctx, Status status, RecordMetadata recordMetadata) { }

    public void DisposeSingleWriter(ref long key, ref long input, ref TValue src, ref TValue dst, ref TValue output, ref UpsertInfo upsertInfo, WriteReason reason) { }

    public void DisposeCopyUpdater(ref long key, ref long input, ref TValue oldValue, ref TValue newValue, ref TValue output, ref RMWInfo rmwInfo) { }

    public void DisposeInitialUpdater(ref long key, ref long input, ref TValue value, ref TValue output, ref RMWInfo rmwInfo) { }

    public void DisposeSingleDeleter(ref long key, ref TValue value, ref DeleteInfo deleteInfo) { }

    public void DisposeDeserializedFromDisk(ref long key, ref TValue value) { }

    public void CheckpointCompletionCallback(int sessionID, string sessionName, CommitPoint commitPoint) { }
}
