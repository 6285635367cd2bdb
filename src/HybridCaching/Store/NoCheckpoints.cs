using FASTER.core;

namespace HybridCaching.Store;

/// <summary>The checkpoint manager of a log that takes none. FASTER would otherwise create folders for its own.</summary>
internal sealed class NoCheckpoints : ICheckpointManager
{
    public IEnumerable<Guid> GetIndexCheckpointTokens() => [];

    public IEnumerable<Guid> GetLogCheckpointTokens() => [];

    public void InitializeIndexCheckpoint(Guid indexToken) => throw Unused();

    public void InitializeLogCheckpoint(Guid logToken) => throw Unused();

    public void CommitIndexCheckpoint(Guid indexToken, byte[] commitMetadata) => throw Unused();

    public void CommitLogCheckpoint(Guid logToken, byte[] commitMetadata) => throw Unused();

    public void CommitLogIncrementalCheckpoint(Guid logToken, long version, byte[] commitMetadata, DeltaLog deltaLog) => throw Unused();

    public void CheckpointVersionShift(long oldVersion, long newVersion) => throw Unused();

    public byte[] GetIndexCheckpointMetadata(Guid indexToken) => throw Unused();

    public byte[] GetLogCheckpointMetadata(Guid logToken, DeltaLog deltaLog, bool scanDelta = false, long recoverTo = -1) => throw Unused();

    public IDevice GetIndexDevice(Guid indexToken) => throw Unused();

    public IDevice GetSnapshotLogDevice(Guid token) => throw Unused();

    public IDevice GetSnapshotObjectLogDevice(Guid token) => throw Unused();

    public IDevice GetDeltaLogDevice(Guid token) => throw Unused();

    public void Purge(Guid token)
    {
    }

    public void PurgeAll()
    {
    }

    public void OnRecovery(Guid indexToken, Guid logToken)
    {
    }

    public void Dispose()
    {
    }

    private static InvalidOperationException Unused() => new("A cache without a directory takes no checkpoints.");
}
