using System.Runtime.CompilerServices;
using HybridCaching.Diagnostics;

namespace HybridCaching.HotTier;

/// <summary>The 64-bit word that guards a row of the hot tier, and every key that belongs to the row.</summary>
/// <remarks>
/// <code>
///  63            32 31           1    0
/// ┌────────────────┬──────────────┬──────┐
/// │ write version  │   sequence   │ lock │
/// └────────────────┴──────────────┴──────┘
/// </code>
/// The sequence counts every change of the row: a reader that sees the same unlocked word before and after has read nothing half-written. The write version counts
/// changes of what the keys stand for (set, removed, cleared) and not copies made or dropped, so fills do not get into one another's way.
/// A sequence that overflows counts the version up once too often, which is harmless.
/// </remarks>
internal static class RowWord
{
    private const ulong LockBit = 1;
    private const ulong OneSequence = 2;
    private const ulong OneVersion = 1UL << 32;

    public static bool IsLocked(ulong word) => (word & LockBit) != 0;

    /// <summary>The write version.</summary>
    public static uint VersionOf(ulong word) => (uint)(word >> 32);

    /// <summary>Waits until no writer is at work.</summary>
    public static ulong ReadUnlocked(ref ulong word)
    {
        BusyWait wait = default;
        ulong seen;
        while (IsLocked(seen = Volatile.Read(ref word))) wait.Once();
        return seen;
    }

    /// <summary>Takes the lock, even in a thread that was interrupted: callers hold what they would have to give back. A full fence.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Lock(ref ulong word)
    {
        if (!TryLock(ref word)) LockContended(ref word);
    }

    /// <summary>Takes the lock if nobody has it. A full fence if it does.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryLock(ref ulong word)
    {
        ulong seen = Volatile.Read(ref word);
        return !IsLocked(seen) && Interlocked.CompareExchange(ref word, seen | LockBit, seen) == seen;
    }

    /// <summary>Takes the lock if nobody has it and the write version is this one. A full fence if it does.</summary>
    public static bool TryLock(ref ulong word, uint version)
    {
        ulong seen = Volatile.Read(ref word);
        return !IsLocked(seen) && VersionOf(seen) == version && Interlocked.CompareExchange(ref word, seen | LockBit, seen) == seen;
    }

    /// <summary>Gives the lock back after a key was written: both counts go up.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void UnlockWritten(ref ulong word) => Volatile.Write(ref word, (word & ~LockBit) + OneSequence + OneVersion);

    /// <summary>Gives the lock back after a copy was put into the row: the sequence goes up.</summary>
    public static void UnlockFilled(ref ulong word) => Volatile.Write(ref word, (word & ~LockBit) + OneSequence);

    /// <summary>Gives the lock back; nothing was changed.</summary>
    public static void UnlockUnchanged(ref ulong word) => Volatile.Write(ref word, word & ~LockBit);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void LockContended(ref ulong word)
    {
        BusyWait wait = default;
        do wait.Once();
        while (!TryLock(ref word));
    }
}
