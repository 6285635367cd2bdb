using System.Buffers;

namespace HybridCaching.Tests.Distributed;

/// <summary>A destination that hands out small pieces, may dawdle or throw, and knows what was done to it after its call had returned.</summary>
internal sealed class BytesWriter(int pieceBytes = 1000) : IBufferWriter<byte>
{
    private byte[] _bytes = new byte[pieceBytes];
    private int _calls;
    private volatile bool _closed;
    private int _callsAfterClose;

    /// <summary>Called before each piece is handed out; may wait or throw. Gets the number of the piece.</summary>
    public Action<int>? BeforePiece { get; set; }

    public int WrittenCount { get; private set; }

    public ReadOnlySpan<byte> Written => _bytes.AsSpan(0, WrittenCount);

    /// <summary>How often it was used although the call it was given to had returned.</summary>
    public int CallsAfterClose => Volatile.Read(ref _callsAfterClose);

    /// <summary>The call has returned: nobody may use this any more.</summary>
    public void Close() => _closed = true;

    /// <summary>As new, with the memory it has.</summary>
    public BytesWriter Reset()
    {
        _calls = 0;
        _closed = false;
        WrittenCount = 0;
        return this;
    }

    public void Advance(int count)
    {
        Count();
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, _bytes.Length - WrittenCount);
        WrittenCount += count;
    }

    public Memory<byte> GetMemory(int sizeHint = 0)
    {
        Count();
        BeforePiece?.Invoke(_calls++);
        int length = Math.Max(sizeHint, pieceBytes);
        if (_bytes.Length - WrittenCount < length) Array.Resize(ref _bytes, Math.Max(2 * _bytes.Length, WrittenCount + length));
        return _bytes.AsMemory(WrittenCount, length);
    }

    public Span<byte> GetSpan(int sizeHint = 0) => GetMemory(sizeHint).Span;

    private void Count()
    {
        if (_closed) Interlocked.Increment(ref _callsAfterClose);
    }
}
