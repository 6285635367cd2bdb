using System.Buffers;

namespace HybridCaching.Records;

/// <summary>Where a value that is looked for shall go: nowhere, into an array of exactly its size, into a rented one, or into memory of the caller. What is there may be overwritten until the look is over.</summary>
internal unsafe struct ValueBuffer
{
    private readonly Kind _kind;
    private readonly byte* _memory;
    private readonly int _room;
    private readonly int _offset;
    private byte[]? _array;

    private ValueBuffer(Kind kind, byte* memory = null, byte[]? array = null, int offset = 0, int room = int.MaxValue)
    {
        _kind = kind;
        _memory = memory;
        _array = array;
        _offset = offset;
        _room = room;
    }

    private enum Kind
    {
        None,
        Exact,
        Rented,
        Memory,
        Piece,
    }

    /// <summary>For those who need no value.</summary>
    public static ValueBuffer None => default;

    /// <summary>A new array, as long as the value.</summary>
    public static ValueBuffer Exact => new(Kind.Exact);

    /// <summary>An array from the shared pool: <see cref="Return"/> gives it back.</summary>
    public static ValueBuffer Rented => new(Kind.Rented);

    /// <summary>Bytes of the value taken last.</summary>
    public int Length { get; private set; }

    /// <summary>The array; null before there is one.</summary>
    public readonly byte[]? Array => _array;

    /// <summary>Whether the value taken last is here.</summary>
    public readonly bool IsFilled => _kind != Kind.None && Length <= _room;

    /// <summary>Whether it is memory of the caller.</summary>
    public readonly bool IsCallers => _kind == Kind.Memory;

    /// <summary>The value, if it is here.</summary>
    public readonly ReadOnlySpan<byte> Value => IsFilled ? Span : default;

    private readonly Span<byte> Span => _kind == Kind.Memory ? new Span<byte>(_memory, Length) : _array.AsSpan(_offset, Length);

    /// <summary>Pinned memory of the caller. A value that is too long for it is not copied.</summary>
    public static ValueBuffer At(byte* memory, int room) => new(Kind.Memory, memory, room: room);

    /// <summary>Makes room for a value.</summary>
    /// <returns>Where to write it; empty if it is not wanted here.</returns>
    public Span<byte> Take(int length)
    {
        Length = length;
        if (!IsFilled) return default;
        if (_kind == Kind.Exact && _array?.Length != length) _array = length == 0 ? [] : GC.AllocateUninitializedArray<byte>(length);
        if (_kind == Kind.Rented && (_array is null || _array.Length < length))
        {
            Return();
            Length = length;
            _array = ArrayPool<byte>.Shared.Rent(length);
        }

        return Span;
    }

    /// <summary>A buffer for one piece of the value, for which this one has made room.</summary>
    public readonly ValueBuffer Piece(int offset, int length) =>
        _kind == Kind.Memory ? At(_memory + offset, length) : new(Kind.Piece, array: _array, offset: _offset + offset, room: length);

    /// <summary>Gives a rented array back.</summary>
    public void Return()
    {
        if (_kind == Kind.Rented && _array is not null) ArrayPool<byte>.Shared.Return(_array);
        _array = null;
        Length = 0;
    }
}
