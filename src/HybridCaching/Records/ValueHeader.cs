using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace HybridCaching.Records;

/// <summary>What precedes a value of the bytes cache: when it expires, what kind of value it is, and a check.</summary>
/// <remarks>
/// <code>
///  0        4                 12       16        20                  28                 36
/// ┌────────┬─────────────────┬────────┬─────────┬───────────────────┬──────────────────┬──────────
/// │ mark   │ deadline        │ check  │ created │ window            │ cap              │ value ...
/// └────────┴─────────────────┴────────┴─────────┴───────────────────┴──────────────────┴──────────
///   format, flags              CRC-32C  seconds   only if the window slides: else the value begins at 20
///                                       since 1970
/// </code>
/// FASTER puts 4 bytes of length before it, so the deadline is aligned: it can be renewed in place by one store, also while it is read. A deadline that may be renewed is not part of the check,
/// the cap is. Deadlines are UTC ticks, 0 is never. The first byte is not 0, so zeros, which is what a failed disk read becomes, are no value.
/// </remarks>
[StructLayout(LayoutKind.Sequential, Pack = 4)]
internal struct ValueHeader
{
    /// <summary>Bytes of the header in a record, of a value whose window slides.</summary>
    public const int MaximumBytes = 36;

    /// <summary>Where in a record's payload the deadline is.</summary>
    public const int DeadlineOffset = 4;

    private const int PlainBytes = 20;
    private const uint Format = 0xB1;
    private const uint FormatMask = 0xFF;
    private const uint SlidingFlag = 1 << 8;
    private const uint ListFlag = 1 << 9;
    private const uint ChunkFlag = 1 << 10;
    private const uint KnownBits = FormatMask | SlidingFlag | ListFlag | ChunkFlag;
    private const uint CheckSeed = 0x4879_6244;
    private static readonly long Epoch = DateTime.UnixEpoch.Ticks;

    private uint _mark;
    private long _deadline;
    private uint _check;
    private uint _created;
    private long _window;
    private long _cap;

    /// <param name="lifetime">When the value expires.</param>
    /// <param name="now">When it is stored, in UTC ticks.</param>
    /// <param name="kind">What it is.</param>
    public ValueHeader(Lifetime lifetime, long now, ValueKind kind)
    {
        _mark = Format | (lifetime.Window != 0 ? SlidingFlag : 0) | kind switch { ValueKind.ChunkList => ListFlag, ValueKind.Chunk => ChunkFlag, _ => 0 };
        _created = (uint)Math.Clamp((now - Epoch) / TimeSpan.TicksPerSecond, 0, uint.MaxValue);
        (_deadline, _window, _cap) = lifetime;
    }

    public readonly bool IsSliding => (_mark & SlidingFlag) != 0;

    public readonly ValueKind Kind => (_mark & ListFlag) != 0 ? ValueKind.ChunkList : (_mark & ChunkFlag) != 0 ? ValueKind.Chunk : ValueKind.Whole;

    /// <summary>Bytes of this header in a record.</summary>
    public readonly int Bytes => IsSliding ? MaximumBytes : PlainBytes;

    /// <summary>When the value expires unless it is renewed.</summary>
    public long Deadline
    {
        readonly get => _deadline;
        set => _deadline = value;
    }

    public readonly Lifetime Lifetime => new(_deadline, _window, _cap);

    /// <summary>How long ago the value was stored, in whole seconds.</summary>
    public readonly TimeSpan Age(long now) => TimeSpan.FromSeconds(Math.Max(0, ((now - Epoch) / TimeSpan.TicksPerSecond) - _created));

    /// <summary>Takes a record's payload apart.</summary>
    /// <returns>False if it is none.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryParse(ReadOnlySpan<byte> payload, out ValueHeader header, out ReadOnlySpan<byte> value)
    {
        header = default;
        value = default;
        if (payload.Length < PlainBytes) return false;
        uint mark = MemoryMarshal.Read<uint>(payload);
        if ((mark & FormatMask) != Format || (mark & ~KnownBits) != 0) return false;
        if ((mark & SlidingFlag) == 0)
        {
            payload[..PlainBytes].CopyTo(MemoryMarshal.AsBytes(new Span<ValueHeader>(ref header)));
        }
        else
        {
            if (payload.Length < MaximumBytes) return false;
            header = MemoryMarshal.Read<ValueHeader>(payload);
        }

        value = payload[header.Bytes..];
        return true;
    }

    /// <summary>Writes the header as it precedes the value in a record.</summary>
    public readonly void CopyTo(Span<byte> payload) => MemoryMarshal.AsBytes(new ReadOnlySpan<ValueHeader>(in this))[..Bytes].CopyTo(payload);

    /// <summary>Completes the header with the check.</summary>
    public void Seal(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) => _check = Check(key, value);

    /// <summary>Whether this is what <see cref="Seal"/> made for this key and value.</summary>
    public readonly bool IsIntact(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) => _check == Check(key, value);

    private readonly uint Check(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        uint crc = BitOperations.Crc32C(CheckSeed, ((ulong)_mark << 32) | _created);
        if (IsSliding) crc = BitOperations.Crc32C(BitOperations.Crc32C(crc, (ulong)_window), (ulong)_cap);
        else crc = BitOperations.Crc32C(crc, (ulong)_deadline);
        crc = BitOperations.Crc32C(crc, ((ulong)key.Length << 32) | (uint)value.Length);
        return Checksum.Append(Checksum.Append(crc, key), value);
    }
}
