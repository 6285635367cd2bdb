using System.Buffers;

namespace HybridCaching.Tests.Distributed;

/// <summary>Makes sequences of bytes of every kind.</summary>
internal static class Sequences
{
    private const int Padding = 7;

    public static ReadOnlySequence<byte> Of(SequenceKind kind, byte[] content) => kind switch
    {
        SequenceKind.WholeArray => new ReadOnlySequence<byte>(content),
        SequenceKind.PartOfAnArray => new ReadOnlySequence<byte>([.. new byte[Padding], .. content, .. new byte[Padding]], Padding, content.Length),
        SequenceKind.UnpinnableMemory => new ReadOnlySequence<byte>(new UnpinnableMemory(content).Memory),
        SequenceKind.ManySegments => OfSegments(default, content.AsMemory(0, content.Length / 3), default, content.AsMemory(content.Length / 3), default),
        _ => throw new ArgumentOutOfRangeException(nameof(kind)),
    };

    /// <summary>A sequence of the segments as they are; empty ones stay.</summary>
    public static ReadOnlySequence<byte> OfSegments(params ReadOnlyMemory<byte>[] segments)
    {
        var first = new Segment(segments[0], null);
        var last = segments.Skip(1).Aggregate(first, (previous, memory) => new Segment(memory, previous));
        return new ReadOnlySequence<byte>(first, 0, last, last.Memory.Length);
    }

    private sealed class Segment : ReadOnlySequenceSegment<byte>
    {
        public Segment(ReadOnlyMemory<byte> memory, Segment? previous)
        {
            Memory = memory;
            if (previous is null) return;
            RunningIndex = previous.RunningIndex + previous.Memory.Length;
            previous.Next = this;
        }
    }
}
