using System.Numerics;
using System.Runtime.CompilerServices;

namespace HybridCaching.Records;

/// <summary>The 64-bit header of an entry: when it expires, and a check over key, value and that time.</summary>
/// <remarks>
/// <code>
///  63            42 41                                  0
/// ┌────────────────┬─────────────────────────────────────┐
/// │ check, never 0 │ deadline, ms since 1970; 0 = never  │
/// └────────────────┴─────────────────────────────────────┘
/// </code>
/// The check is CRC-32C folded to 22 bits. It is never zero, so a block of zeros, which is what a failed disk read becomes, is no entry.
/// </remarks>
internal static class EntryHeader
{
    private const int DeadlineBits = 42;
    private const int CheckBits = 64 - DeadlineBits;
    private const ulong DeadlineMask = (1UL << DeadlineBits) - 1;
    private const uint CheckMask = (1U << CheckBits) - 1;
    private const uint CheckSeed = 0x4879_6243;
    private static readonly long EpochTicks = DateTime.UnixEpoch.Ticks;

    /// <summary>The deadline of an entry that lives for <paramref name="timeToLive"/> from <paramref name="now"/>; the last one a header can say lies in 2109, and an entry that is to live until year 10000 never expires.</summary>
    public static ulong Deadline(DateTimeOffset now, TimeSpan timeToLive)
    {
        long sinceEpoch = now.UtcTicks - EpochTicks;
        if (timeToLive.Ticks > DateTime.MaxValue.Ticks - now.UtcTicks) return 0;
        long milliseconds = (sinceEpoch + timeToLive.Ticks) / TimeSpan.TicksPerMillisecond;
        return (ulong)Math.Clamp(milliseconds, 1, (long)DeadlineMask);
    }

    /// <summary>Whether the entry has expired: from its deadline on, never later, at most 1 ms earlier.</summary>
    public static bool IsExpired(ulong header, DateTimeOffset now) =>
        (header & DeadlineMask) is var deadline && deadline != 0 && (now.UtcTicks - EpochTicks) / TimeSpan.TicksPerMillisecond >= (long)deadline;

    /// <summary>Whether the entry ever expires.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool HasDeadline(ulong header) => (header & DeadlineMask) != 0;

    /// <summary>Writes the header of an entry whose value is in place.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Seal<TKey, TValue>(in TKey key, ref Entry<TValue> entry, ulong deadline)
        where TKey : unmanaged
        where TValue : unmanaged =>
        entry.Header = deadline | ((ulong)Check(in key, in entry.Value, deadline) << DeadlineBits);

    /// <summary>Whether the entry is one that <see cref="Seal"/> made for this key.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool IsIntact<TKey, TValue>(in TKey key, in Entry<TValue> entry)
        where TKey : unmanaged
        where TValue : unmanaged =>
        (uint)(entry.Header >> DeadlineBits) == Check(in key, in entry.Value, entry.Header & DeadlineMask);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static uint Check<TKey, TValue>(in TKey key, in TValue value, ulong deadline)
        where TKey : unmanaged
        where TValue : unmanaged
    {
        uint crc = BitOperations.Crc32C(CheckSeed, deadline);
        crc = Checksum.Append(crc, in key);
        crc = Checksum.Append(crc, in value);
        uint check = (crc ^ (crc >> CheckBits)) & CheckMask;
        return check == 0 ? 1 : check;
    }
}
