using HybridCaching.Records;

namespace HybridCaching.Tiering;

/// <summary>A new array, as long as the value.</summary>
internal struct ArrayDestination : IValueDestination
{
    public readonly ValueBuffer Buffer => ValueBuffer.Exact;

    /// <summary>The array, once there is a value.</summary>
    public byte[]? Bytes { get; private set; }

    public Span<byte> Take(int length) => Bytes = length == 0 ? [] : GC.AllocateUninitializedArray<byte>(length);

    public readonly void Complete(int length)
    {
    }

    public void Accept(ref BytesRead read) => Bytes = read.IsHit ? read.Buffer.Array : null;
}
