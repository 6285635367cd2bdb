using System.Buffers;

namespace HybridCaching.Records;

/// <summary>The bytes of a sequence in one piece: where they are, if they are in one, else in a rented array.</summary>
internal readonly ref struct SequenceBytes
{
    private readonly byte[]? _rented;

    public SequenceBytes(in ReadOnlySequence<byte> sequence)
    {
        if (sequence.IsSingleSegment)
        {
            Span = sequence.FirstSpan;
            return;
        }

        int length = (int)sequence.Length;
        _rented = ArrayPool<byte>.Shared.Rent(length);
        sequence.CopyTo(_rented);
        Span = _rented.AsSpan(0, length);
    }

    public ReadOnlySpan<byte> Span { get; }

    public void Dispose()
    {
        if (_rented is not null) ArrayPool<byte>.Shared.Return(_rented);
    }
}
