using System.Buffers;

namespace HybridCaching.Tests.Distributed;

/// <summary>A buffer writer that throws, sooner or later, or gives no more room than it must.</summary>
/// <param name="throwFromBuffers">Whether asking for a buffer throws.</param>
/// <param name="limit">As many bytes as it takes before <see cref="Advance"/> throws.</param>
/// <param name="step">The bytes of a buffer that is asked for without a size.</param>
internal sealed class FaultyWriter(bool throwFromBuffers = false, int limit = int.MaxValue, int step = 16) : IBufferWriter<byte>
{
    private readonly List<byte> _written = [];
    private byte[] _buffer = [];

    public InvalidOperationException Failure { get; } = new("Max length exceeded");

    public byte[] Written => [.. _written];

    public int Calls { get; private set; }

    public void Advance(int count)
    {
        Calls++;
        if (_written.Count + count > limit) throw Failure;
        _written.AddRange(_buffer.AsSpan(0, count));
        _buffer = [];
    }

    public Memory<byte> GetMemory(int sizeHint = 0)
    {
        Calls++;
        if (throwFromBuffers) throw Failure;
        return _buffer = new byte[Math.Max(sizeHint, step)];
    }

    public Span<byte> GetSpan(int sizeHint = 0) => GetMemory(sizeHint).Span;
}
