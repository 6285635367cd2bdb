using System.Buffers;
using HybridCaching.Records;

namespace HybridCaching.Tiering;

/// <summary>A buffer of the caller's, whose code may throw.</summary>
internal readonly struct WriterDestination(IBufferWriter<byte> writer) : IValueDestination
{
    public ValueBuffer Buffer => ValueBuffer.Rented;

    public Span<byte> Take(int length) => writer.GetSpan(length)[..length];

    public void Complete(int length) => writer.Advance(length);

    public void Accept(ref BytesRead read)
    {
        try
        {
            if (read.IsHit && read.Length > 0) writer.Write(read.Buffer.Value);
        }
        finally
        {
            read.Buffer.Return();
        }
    }
}
