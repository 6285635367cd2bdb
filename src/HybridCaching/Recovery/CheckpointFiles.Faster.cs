using FASTER.core;
using HybridCaching.Devices;

namespace HybridCaching.Recovery;

/// <content>What FASTER asks for.</content>
internal sealed partial class CheckpointFiles
{
    public IDevice GetIndexDevice(Guid indexToken)
    {
        bool recovering = indexToken == _token && _indexChecksums is not null;
        _token = indexToken;
        _indexProblem = null;
        _indexDevice = new LogDevice("index", IndexFileBytes, threads: 1, recovering ? _indexChecksums : null) { FlushedBytes = FlushedStream.PartBytes };
        _indexChecksums = _indexDevice.Checksums;
        try
        {
            if (!recovering) Folder.Delete(IndexFileName);
            _indexDevice.Attach(new SegmentFiles(Folder, IndexPrefix, 1, segmentBytes: IndexFileBytes));
        }
        catch (Exception e) when (!recovering && e is IOException or UnauthorizedAccessException)
        {
            _indexProblem = e.Message.TrimEnd('.'); // said when the rest is there: FASTER would take no other checkpoint after an exception
        }

        return _indexDevice;
    }

    public void CommitIndexCheckpoint(Guid indexToken, byte[] commitMetadata) => _indexMetadata = commitMetadata;

    public void CommitLogCheckpoint(Guid logToken, byte[] commitMetadata) => _logMetadata = commitMetadata;

    public byte[] GetIndexCheckpointMetadata(Guid indexToken) => _indexMetadata;

    public byte[] GetLogCheckpointMetadata(Guid logToken, DeltaLog deltaLog, bool scanDelta = false, long recoverTo = -1) => _logMetadata;

    public IEnumerable<Guid> GetIndexCheckpointTokens() => _token == default ? [] : [_token];

    public IEnumerable<Guid> GetLogCheckpointTokens() => GetIndexCheckpointTokens();

    /// <summary>FASTER asks for one to see that it is empty.</summary>
    public IDevice? GetDeltaLogDevice(Guid token) => null;

    public IDevice GetSnapshotLogDevice(Guid token) => throw Unused();

    public IDevice GetSnapshotObjectLogDevice(Guid token) => throw Unused();

    public void CommitLogIncrementalCheckpoint(Guid logToken, long version, byte[] commitMetadata, DeltaLog deltaLog) => throw Unused();

    public void InitializeIndexCheckpoint(Guid indexToken)
    {
    }

    public void InitializeLogCheckpoint(Guid logToken)
    {
    }

    public void CheckpointVersionShift(long oldVersion, long newVersion)
    {
    }

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

    private static InvalidOperationException Unused() => new("Checkpoints are of the fold-over kind: no snapshot or delta files.");
}
