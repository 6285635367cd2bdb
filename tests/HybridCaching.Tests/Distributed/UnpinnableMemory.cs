using System.Buffers;

namespace HybridCaching.Tests.Distributed;

/// <summary>Memory that shows no array and cannot be pinned: only its span may be used.</summary>
internal sealed class UnpinnableMemory(byte[] content) : MemoryManager<byte>
{
    public override Span<byte> GetSpan() => content;

    public override MemoryHandle Pin(int elementIndex = 0) => throw new NotSupportedException("This memory cannot be pinned.");

    public override void Unpin() => throw new NotSupportedException("This memory cannot be pinned.");

    protected override bool TryGetArray(out ArraySegment<byte> segment)
    {
        segment = default;
        return false;
    }

    protected override void Dispose(bool disposing)
    {
    }
}
