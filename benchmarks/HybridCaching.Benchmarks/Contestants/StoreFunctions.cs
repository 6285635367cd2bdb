using FASTER.core;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks.Contestants;

/// <summary>The callbacks of a raw store, as a struct so that the runtime inlines them. The input of a read-modify-write is the number of its key.</summary>
internal readonly struct StoreFunctions<TKey, TRecord>(bool appendOnly, ReadSink<TRecord> sink) : IFunctions<TKey, TRecord, long, TRecord, Empty>
    where TKey : unmanaged
    where TRecord : unmanaged, IRecord<TRecord>
{
    public bool SingleReader(ref TKey key, ref long input, ref TRecord value, ref TRecord dst, ref ReadInfo readInfo)
    {
        dst = value;
        return true;
    }

    public bool ConcurrentReader(ref TKey key, ref long input, ref TRecord value, ref TRecord dst, ref ReadInfo readInfo)
    {
        dst = value;
        return true;
    }

    public void ReadCompletionCallback(ref TKey key, ref long input, ref TRecord output, Empty ctx, Status status, RecordMetadata recordMetadata)
    {
        sink.Found = status.Found;
        sink.Record = output;
    }

    public bool SingleWriter(ref TKey key, ref long input, ref TRecord src, ref TRecord dst, ref TRecord output, ref UpsertInfo upsertInfo, WriteReason reason)
    {
        dst = src;
        return true;
    }

    public bool ConcurrentWriter(ref TKey key, ref long input, ref TRecord src, ref TRecord dst, ref TRecord output, ref UpsertInfo upsertInfo)
    {
        if (appendOnly) return false;
        dst = src;
        return true;
    }

    public bool NeedInitialUpdate(ref TKey key, ref long input, ref TRecord output, ref RMWInfo rmwInfo) => true;

    public bool InitialUpdater(ref TKey key, ref long input, ref TRecord value, ref TRecord output, ref RMWInfo rmwInfo)
    {
        value = TRecord.For(input);
        return true;
    }

    public bool NeedCopyUpdate(ref TKey key, ref long input, ref TRecord oldValue, ref TRecord output, ref RMWInfo rmwInfo) => true;

    public bool CopyUpdater(ref TKey key, ref long input, ref TRecord oldValue, ref TRecord newValue, ref TRecord output, ref RMWInfo rmwInfo)
    {
        newValue = oldValue.Next();
        return true;
    }

    public bool InPlaceUpdater(ref TKey key, ref long input, ref TRecord value, ref TRecord output, ref RMWInfo rmwInfo)
    {
        if (appendOnly) return false;
        value = value.Next();
        return true;
    }

    public bool SingleDeleter(ref TKey key, ref TRecord value, ref DeleteInfo deleteInfo) => true;

    public bool ConcurrentDeleter(ref TKey key, ref TRecord value, ref DeleteInfo deleteInfo) => true;

    public void PostSingleWriter(ref TKey key, ref long input, ref TRecord src, ref TRecord dst, ref TRecord output, ref UpsertInfo upsertInfo, WriteReason reason) { }

    public void PostInitialUpdater(ref TKey key, ref long input, ref TRecord value, ref TRecord output, ref RMWInfo rmwInfo) { }

    public void PostCopyUpdater(ref TKey key, ref long input, ref TRecord oldValue, ref TRecord newValue, ref TRecord output, ref RMWInfo rmwInfo) { }

    public void PostSingleDeleter(ref TKey key, ref DeleteInfo deleteInfo) { }

    public void RMWCompletionCallback(ref TKey key, ref long input, ref TRecord output, Empty ctx, Status status, RecordMetadata recordMetadata) { }

    public void DisposeSingleWriter(ref TKey key, ref long input, ref TRecord src, ref TRecord dst, ref TRecord output, ref UpsertInfo upsertInfo, WriteReason reason) { }

    public void DisposeCopyUpdater(ref TKey key, ref long input, ref TRecord oldValue, ref TRecord newValue, ref TRecord output, ref RMWInfo rmwInfo) { }

    public void DisposeInitialUpdater(ref TKey key, ref long input, ref TRecord value, ref TRecord output, ref RMWInfo rmwInfo) { }

    public void DisposeSingleDeleter(ref TKey key, ref TRecord value, ref DeleteInfo deleteInfo) { }

    public void DisposeDeserializedFromDisk(ref TKey key, ref TRecord value) { }

    public void CheckpointCompletionCallback(int sessionID, string sessionName, CommitPoint commitPoint) { }
}
