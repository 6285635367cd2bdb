using System.Text.Json;
using FASTER.core;
using HybridCaching.Configuration;
using HybridCaching.Devices;
using HybridCaching.Diagnostics;

namespace HybridCaching.Recovery;

/// <summary>The one checkpoint of a folder: the index in a file, the checksums of all blocks in another, and a manifest that vouches for both.</summary>
/// <remarks>
/// FASTER hands us its metadata through <see cref="ICheckpointManager"/>; it goes into the manifest, which is written last and renamed into place.
/// A manifest is deleted before the log it describes may change again, so that an unclean stop leaves none: what it leaves is told by its <see cref="LiveState"/>.
/// </remarks>
internal sealed partial class CheckpointFiles : ICheckpointManager
{
    private const string ManifestName = "manifest";
    private const string ChecksumsName = "checksums";
    private const string IndexPrefix = "index";
    private const string IndexFileName = IndexPrefix + "-00000000";
    private const string LogPrefix = "log";
    private const string MainPrefix = "main";
    private const string SettledIndexName = "settled";
    private const int MaximumManifestBytes = 8 << 20;
    private const int CrcLineLength = 9;
    private const int HashSecretWords = 4;

    /// <summary>What only a recovery needs, and what is left of it if a process ends while it writes that.</summary>
    private static readonly string[] RecoveredNames = [SettledIndexName, ChecksumsName, IndexFileName, ManifestName + ".tmp", SettledIndexName + ".tmp", ChecksumsName + ".tmp"];

    private volatile MemoryPlan _plan;
    private CacheFolder? _ownFolder;
    private volatile LogDevice? _indexDevice;

    /// <summary>Why the index of the checkpoint that is being taken has no file; null if it has one.</summary>
    private string? _indexProblem;
    private BlockChecksums? _indexChecksums;
    private Guid _token;
    private long _indexFileBytes;
    private long _bytes;
    private byte[] _indexMetadata = [];
    private byte[] _logMetadata = [];

    public CheckpointFiles(MemoryPlan plan) => _plan = plan;

    /// <summary>Goes by another plan from now on: one with the same sizes of pages, segments and index.</summary>
    public void Resize(MemoryPlan plan) => _plan = plan;

    /// <summary>Where the files are. Set once, before anything else but the constructor is called.</summary>
    public CacheFolder Folder
    {
        get => _ownFolder ?? throw new InvalidOperationException("No folder yet.");
        set => _ownFolder = value;
    }

    /// <summary>The checkpoint to recover; default when there is none.</summary>
    public Guid Token => _token;

    /// <summary>Bytes of the files beside the log's.</summary>
    public long Bytes => Interlocked.Read(ref _bytes);

    /// <summary>Changes whenever the disk has done something for a checkpoint.</summary>
    public long Progress => (_indexDevice?.Progress ?? 0) + (_ownFolder?.Flushed ?? 0);

    /// <summary>How long the file of the index is, or is going to be. Set before a checkpoint is taken.</summary>
    public long IndexFileBytes
    {
        get => _indexFileBytes;
        set => _indexFileBytes = (value + MemoryPlan.BlockBytes - 1) / MemoryPlan.BlockBytes * MemoryPlan.BlockBytes;
    }

    /// <summary>The segment files of both logs.</summary>
    /// <param name="isDirect">Whether to use them past the system's page cache.</param>
    public SegmentFiles LogFiles(bool isDirect = false) => new(Folder, LogPrefix, _plan.Segments, isDirect, MainPrefix, _plan.SegmentBytes);

    /// <summary>Reads the manifest of a folder.</summary>
    /// <param name="folder">The folder.</param>
    /// <param name="problem">Why there is nothing to recover although there are files; null for a folder without any.</param>
    public static Manifest? ReadManifest(CacheFolder folder, out string? problem)
    {
        problem = null;
        try
        {
            if (folder.ReadAll(ManifestName, MaximumManifestBytes) is not { Length: > 0 } bytes)
            {
                var files = folder.List().ToList();
                if (files.Count > 0) problem = files.Exists(IsOurs) ? "the cache was not closed properly" : $"it holds files that are not a cache's, such as '{files[0]}'; they are left alone";
                return null;
            }

            var manifest = Parse(bytes);
            if (manifest is null) problem = "its manifest is damaged";
            return manifest;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or JsonException)
        {
            problem = $"its manifest cannot be read: {e.Message}";
            return null;
        }
    }

    /// <summary>Reads the manifest of a folder that may be another cache's, or not be there; null if that cannot be done.</summary>
    public static Manifest? PeekManifest(string folder)
    {
        try
        {
            return CacheFolder.ReadAll(folder, ManifestName, MaximumManifestBytes) is { Length: > 0 } bytes ? Parse(bytes) : null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or JsonException)
        {
            return null;
        }
    }

    /// <exception cref="JsonException">It is something else.</exception>
    private static Manifest? Parse(byte[] bytes)
    {
        if (bytes.Length <= CrcLineLength) return null;
        string crc = Crc32C.Of(bytes.AsSpan(CrcLineLength)).ToString("x8");
        if (!bytes.AsSpan(0, CrcLineLength).SequenceEqual(System.Text.Encoding.ASCII.GetBytes(crc + "\n"))) return null;
        var manifest = JsonSerializer.Deserialize(bytes.AsSpan(CrcLineLength), ManifestJson.Default.Manifest);
        bool isComplete = manifest is { HashSecret.Length: HashSecretWords, Fingerprint: not null, IndexFileBytes: > 0, IndexMetadata: not null, LogMetadata: not null, SettledTables: not null, BeginAddress: > 0 };
        return isComplete && manifest!.TailAddress >= manifest.BeginAddress && manifest.AreTablesPossible && manifest.AreExtentsPossible ? manifest : null;
    }

    /// <summary>Checks everything a recovery relies on, and keeps what it needs. Afterwards <see cref="Token"/> is set.</summary>
    /// <returns>Null, or why the checkpoint cannot be used.</returns>
    public string? Prepare(Manifest manifest, LogDevice log)
    {
        try
        {
            if (manifest.TailAddress - manifest.BeginAddress > _plan.Segments * _plan.SegmentBytes) return "its log is longer than its files can be";
            if (manifest.IndexFileBytes > _plan.DiskBudget) return "its index is damaged";
            IndexFileBytes = manifest.IndexFileBytes;
            _indexChecksums = new BlockChecksums(IndexFileBytes);
            if (!TryLoadChecksums(log.Checksums, _indexChecksums, manifest.ChecksumsCrc)) return "its checksums are damaged";

            using var indexFiles = new SegmentFiles(Folder, IndexPrefix, 1);
            if (indexFiles.LengthOf(0) != IndexFileBytes || !IsIntact(indexFiles, _indexChecksums, 0, 0, IndexFileBytes)) return "its index is damaged";
            using var logFiles = LogFiles();
            if (MissingSegment(logFiles, log, manifest.BeginAddress, manifest.TailAddress) is { } missing) return $"segment {missing} of its log is missing";
            DeleteForeignSegments(manifest);
            if (manifest.TailAddress == manifest.BeginAddress) return Accept(manifest);
            long lastBlock = (manifest.TailAddress - 1) / MemoryPlan.BlockBytes * MemoryPlan.BlockBytes;
            if (!IsIntact(logFiles, log.Checksums, (int)(lastBlock / _plan.SegmentBytes), lastBlock % _plan.SegmentBytes, MemoryPlan.BlockBytes)) return "the end of its log is damaged";
            return Accept(manifest);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or InvalidDataException or EndOfStreamException)
        {
            return $"its files cannot be read: {e.Message}";
        }
    }

    /// <summary>Reads the checksums of log and index part by part: on a large disk they are long.</summary>
    private bool TryLoadChecksums(BlockChecksums ofLog, BlockChecksums ofIndex, uint crc)
    {
        try
        {
            using var stream = Folder.OpenToRead(ChecksumsName);
            var parts = new List<uint>();
            ofLog.Load(stream, parts, _plan.Segments);
            ofIndex.Load(stream, parts, maximumSegments: 1);
            return Crc32C.Of(parts) == crc && stream.ReadByte() < 0;
        }
        catch (Exception e) when (e is FileNotFoundException or InvalidDataException or EndOfStreamException)
        {
            return false;
        }
    }

    /// <summary>Files that look like segments but belong to no address of the log would only take disk.</summary>
    private void DeleteForeignSegments(Manifest manifest)
    {
        foreach (string name in Folder.List().ToList())
        {
            if (SegmentFiles.TryParse(name, LogPrefix, out int segment) && IsOutside(segment, Math.Min(manifest.BeginAddress, manifest.SettledIndexBytes == 0 ? long.MaxValue : manifest.ProbationBegin), manifest.TailAddress)) Folder.Delete(name);
            if (SegmentFiles.TryParse(name, MainPrefix, out segment) && IsOutside(segment + SegmentFiles.FirstOfMain, manifest.MainBegin, manifest.MainTail)) Folder.Delete(name);
        }

        bool IsOutside(int segment, long begin, long tail) => segment < begin / _plan.SegmentBytes || segment > tail / _plan.SegmentBytes;
    }

    /// <summary>The first segment between two addresses whose file is missing, though there is something in it. One of those that are settled is damage like any other: its records are misses.</summary>
    private long? MissingSegment(SegmentFiles files, LogDevice log, long begin, long end)
    {
        for (long segment = begin / _plan.SegmentBytes; begin < end && segment * _plan.SegmentBytes < end; segment++)
        {
            if (files.LengthOf((int)segment) == 0 && log.Checksums.HoldsAny((int)segment)) return segment;
        }

        return null;
    }

    private string? Accept(Manifest manifest)
    {
        (_token, _indexMetadata, _logMetadata) = (manifest.Token, manifest.IndexMetadata, manifest.LogMetadata);
        return null;
    }

    /// <summary>From here on the log may change: a crash leaves no checkpoint.</summary>
    public void Invalidate()
    {
        Folder.DeleteForGood(ManifestName);
        CountBytes();
    }

    /// <summary>The same, and what cannot be deleted stays.</summary>
    /// <returns>Null, or why that is so.</returns>
    public string? WhyNotInvalidated()
    {
        try
        {
            Invalidate();
            return null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return e.Message.TrimEnd('.');
        }
    }

    /// <summary>Reads the index of settled records.</summary>
    /// <exception cref="IOException">It cannot be read.</exception>
    public void ReadSettledIndex(Action<Stream> read)
    {
        using var stream = Folder.OpenToRead(SettledIndexName);
        read(stream);
    }

    /// <summary>Deletes what only a recovery needs.</summary>
    public void DeleteRecovered()
    {
        foreach (string name in RecoveredNames) Folder.Delete(name);
        CountBytes();
    }

    /// <summary>The same, and what cannot be deleted stays.</summary>
    public void TryDeleteRecovered()
    {
        try
        {
            DeleteRecovered();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // The next checkpoint writes over it.
        }
    }

    private void CountBytes() => Interlocked.Exchange(ref _bytes, Folder.LengthOf(ManifestName) + Folder.LengthOf(LiveName) + Folder.LengthOf(ChecksumsName) + Folder.LengthOf(IndexFileName) + Folder.LengthOf(SettledIndexName));

    /// <summary>Deletes every file of ours. Files of others stay.</summary>
    public void Wipe()
    {
        DeleteManifestAndState(Folder);
        foreach (string name in Folder.List().Where(IsOurs).ToList()) Folder.Delete(name);
        CountBytes();
    }

    /// <summary>Completes the checkpoint that FASTER has just taken.</summary>
    /// <param name="manifest">What to write; metadata and checksums are filled in here.</param>
    /// <param name="log">The device of the log.</param>
    /// <param name="saveSettledIndex">Writes the index of settled records and returns its checksum; null if there is none.</param>
    /// <param name="mayCommit">Asked when all is written and only the manifest is not in its place: whether it is still wanted.</param>
    /// <returns>Null, or why there is no checkpoint.</returns>
    public string? Write(Manifest manifest, LogDevice log, Func<Stream, uint>? saveSettledIndex, Func<bool> mayCommit)
    {
        try
        {
            if (_indexProblem is not null) return _indexProblem;
            if (_indexDevice is null || _indexDevice.WriteErrors > 0) return "the index could not be written";
            log.FlushToDisk();
            using (var indexFiles = new SegmentFiles(Folder, IndexPrefix, 1))
            {
                if (indexFiles.LengthOf(0) == 0) return "the index was not written";
                indexFiles.FlushToDisk();
            }

            Fault.Point("checkpoint.logs-flushed");
            Folder.Delete(SettledIndexName); // there is room for one only
            Folder.Delete(ChecksumsName);
            Fault.Point("checkpoint.old-deleted");
            uint settledIndexCrc = 0;
            if (saveSettledIndex is not null) Folder.Replace(SettledIndexName, manifest.SettledIndexBytes, stream => settledIndexCrc = saveSettledIndex(stream));
            var parts = new List<uint>();
            long indexBytes = Folder.LengthOf(IndexFileName); // it may have become shorter than was planned for
            Folder.Replace(
                ChecksumsName,
                log.Checksums.SavedBytes(_plan.SegmentBytes) + _indexChecksums!.SavedBytes(indexBytes),
                stream =>
                {
                    log.Checksums.Save(stream, parts, _plan.SegmentBytes);
                    _indexChecksums.Save(stream, parts, indexBytes);
                });
            var complete = manifest with { Token = _token, IndexFileBytes = indexBytes, IndexMetadata = _indexMetadata, LogMetadata = _logMetadata, ChecksumsCrc = Crc32C.Of(parts), SettledIndexCrc = settledIndexCrc };
            bool committed = Replace(ManifestName, complete, mayCommit);
            Fault.Point("checkpoint.after-manifest");
            return committed ? null : "it was not written in time";
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return e.Message;
        }
    }

    private bool Replace(string name, Manifest manifest, Func<bool>? mayCommit)
    {
        byte[] json = JsonSerializer.SerializeToUtf8Bytes(manifest, ManifestJson.Default.Manifest);
        bool committed = Folder.Replace(
            name,
            CrcLineLength + json.Length,
            stream =>
            {
                stream.Write(System.Text.Encoding.ASCII.GetBytes(Crc32C.Of(json).ToString("x8") + "\n"));
                stream.Write(json);
            },
            mayCommit);
        CountBytes();
        return committed;
    }

    private static bool IsIntact(SegmentFiles files, BlockChecksums checksums, int segment, long offset, long length)
    {
        if (length % MemoryPlan.BlockBytes != 0) return false;
        byte[] buffer = new byte[Math.Min(length, 1 << 20)];
        for (long at = 0; at < length; at += buffer.Length)
        {
            var piece = buffer.AsSpan(0, (int)Math.Min(buffer.Length, length - at));
            files.Read(segment, offset + at, piece);
            if (!checksums.Verify(segment, offset + at, piece, out _)) return false;
        }

        return length > 0;
    }

    private static bool IsOurs(string name) =>
        name is ManifestName or ManifestName + ".tmp" or LiveName or LiveName + ".tmp" or ChecksumsName or ChecksumsName + ".tmp" or SettledIndexName or SettledIndexName + ".tmp"
        || SegmentFiles.TryParse(name, LogPrefix, out _) || SegmentFiles.TryParse(name, MainPrefix, out _) || SegmentFiles.TryParse(name, IndexPrefix, out _);
}
