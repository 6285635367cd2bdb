using System.Buffers;

namespace HybridCaching.Records;

/// <summary>A key of the bytes cache, encoded: in the caller's stack if it is short, else in a rented array.</summary>
internal readonly ref struct KeyBuffer
{
    /// <summary>Room on the stack that is enough for most keys.</summary>
    public const int StackBytes = 264;

    private readonly byte[]? _rented;

    public KeyBuffer(string key, Span<byte> stack)
    {
        int most = KeyText.MaximumBytes(key.Length);
        if (most > stack.Length) stack = _rented = ArrayPool<byte>.Shared.Rent(most);
        Bytes = stack[..KeyText.Encode(key, stack)];
    }

    public ReadOnlySpan<byte> Bytes { get; }

    public void Dispose()
    {
        if (_rented is not null) ArrayPool<byte>.Shared.Return(_rented);
    }
}
