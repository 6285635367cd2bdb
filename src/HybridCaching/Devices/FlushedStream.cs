namespace HybridCaching.Devices;

/// <summary>Writes a new file and brings it to the disk part by part: who waits for a large one sees that the disk gets on.</summary>
/// <param name="file">The file.</param>
/// <param name="flushed">Called whenever a part is on the disk.</param>
internal sealed class FlushedStream(FileStream file, Action flushed) : Stream
{
    /// <summary>Even a slow disk takes a part in a second.</summary>
    public const int PartBytes = 16 << 20;

    private long _left = PartBytes;

    public override bool CanRead => false;

    public override bool CanSeek => false;

    public override bool CanWrite => true;

    public override long Length => file.Length;

    public override long Position
    {
        get => file.Position;
        set => throw new NotSupportedException();
    }

    public override void Write(ReadOnlySpan<byte> buffer)
    {
        file.Write(buffer);
        _left -= buffer.Length;
        if (_left <= 0) Flush();
    }

    public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));

    /// <summary>Brings what was written to the disk itself.</summary>
    /// <exception cref="IOException">The disk refused.</exception>
    public override void Flush()
    {
        file.Flush(flushToDisk: true);
        _left = PartBytes;
        flushed();
    }

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();
}
