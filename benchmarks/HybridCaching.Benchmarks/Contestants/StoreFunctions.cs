using FASTER.core;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks.Contestants;

/// <summary>The callbacks of a raw store, as a struct so that the runtime inlines them.</summary>
internal readonly struct StoreFunctions<TRecord>(bool appendOnly, ReadSink<TRecord> sink) : IFunctions<long, TRecord, long, TRecord, Empty>
    where TRecord : unmanaged, IRecord<TRecord>
{
    public bool SingleReader(ref long key, ref long input, ref TRecord value, ref TRecord dst, ref ReadInfo readInfo)
    {
        dst = value;
        return true;
    }

    public bool ConcurrentReader(ref long key, ref long input, ref TRecord value, ref TRecord dst, ref ReadInfo readInfo)
    {
        dst = value;
        return true;
    }

    public void ReadCompletionCallback(ref long key, ref long input, ref TRecord output, Empty ctx, Status status, RecordMetadata recordMetadata)
    {
        sink.Found = status.Found;
        sink.Record = output;
    }

    public bool SingleWriter(ref long key, ref long input, ref TRecord src, ref TRecord dst, ref TRecord output, ref UpsertInfo upsertInfo, WriteReason reason)
    {
        dst = src;
        return true;
    }

    public bool ConcurrentWriter(ref long key, ref long input, ref TRecord src, ref TRecord dst, ref TRecord output, ref UpsertInfo upsertInfo)
    {
        if (appendOnly) return false;
        dst = src;
        return true;
    }

    public bool NeedInitialUpdate(ref long key, ref long input, ref TRecord output, ref RMWInfo rmwInfo) => true;

    public bool InitialUpdater(ref long key, ref long input, ref TRecord value, ref TRecord output, ref RMWInfo rmwInfo)
    {
        value = TRecord.For(key);
        return true;
    }

    public bool NeedCopyUpdate(ref long key, ref long input, ref TRecord oldValue, ref TRecord output, ref RMWInfo rmwInfo) => true;

    public bool CopyUpdater(ref long key, ref long input, ref TRecord oldValue, ref TRecord newValue, ref TRecord output, ref RMWInfo rmwInfo)
    {
        newValue = oldValue.Next();
        return true;
    }

    public bool InPlaceUpdater(ref long key, ref long input, ref TRecord value, ref TRecord output, ref RMWInfo rmwInfo)
    {
        if (appendOnly) return false;
        value = value.Next();
        return true;
    }

    public bool SingleDeleter(ref long key, ref TRecord value, ref DeleteInfo deleteInfo) => true;

    public bool ConcurrentDeleter(ref long key, ref TRecord value, ref DeleteInfo deleteInfo) => true;

    public void PostSingleWriter(ref long key, ref long input, ref TRecord src, ref TRecord dst, ref TRecord output, ref UpsertInfo upsertInfo, WriteReason reason) { }

    public void PostInitialUpdater(ref long key, ref long input, ref TRecord value, ref TRecord output, ref RMWInfo rmwInfo) { }

    public void PostCopyUpdater(ref long key, ref long input, ref TRecord oldValue, ref TRecord newValue, ref TRecord output, ref RMWInfo rmwInfo) { }

    public void PostSingleDeleter(ref long key, ref DeleteInfo deleteInfo) { }

    public void RMWCompletionCallback(ref long key, ref long input, ref TRecord output, Empty ctx, Status status, RecordMetadata recordMetadata) { }

    public void DisposeSingleWriter(ref long key, ref long input, ref TRecord src, ref TRecord dst, ref TRecord output, ref UpsertInfo upsertInfo, WriteReason reason) { }

    public void DisposeCopyUpdater(ref long key, ref long input, ref TRecord oldValue, ref TRecord newValue, ref TRecord output, ref RMWInfo rmwInfo) { }

    public void DisposeInitialUpdater(ref long key, ref long input, ref TRecord value, ref TRecord output, ref RMWInfo rmwInfo) { }

    public void DisposeSingleDeleter(ref long key, ref TRecord value, ref DeleteInfo deleteInfo) { }

    public void DisposeDeserializedFromDisk(ref long key, ref TRecord value) { }

    public void CheckpointCompletionCallback(int sessionID, string sessionName, CommitPoint commitPoint) { }
}
