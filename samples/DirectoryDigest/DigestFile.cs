using Microsoft.Win32.SafeHandles;

namespace DirectoryDigest;

/// <summary>A file as it was when the directory was listed.</summary>
internal sealed class DigestFile(string path, long length, long modifiedTicks)
{
    private volatile bool _isSkipped;

    public string Path { get; } = path;

    public long Length { get; } = length;

    public long ModifiedTicks { get; } = modifiedTicks;

    /// <summary>Whether the file vanished, shrank or could not be read.</summary>
    public bool IsSkipped => _isSkipped;

    public long ChunkCount(int chunkBytes) => (Length + chunkBytes - 1) / chunkBytes;

    public void Skip() => _isSkipped = true;

    /// <summary>Whether the file still has the length and the modification time its keys were made from.</summary>
    public bool IsUnchanged()
    {
        var now = new FileInfo(Path);
        return now.Exists && now.Length == Length && now.LastWriteTimeUtc.Ticks == ModifiedTicks;
    }

    public SafeFileHandle Open() =>
        File.OpenHandle(Path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete, FileOptions.SequentialScan);
}
