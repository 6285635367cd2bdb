using System.Runtime.CompilerServices;

namespace HybridCaching.HotTier;

/// <summary>A word per row of keys: whoever changes a key holds the lock of its row, and every change counts the row's version up.</summary>
/// <remarks>
/// <code>
///  63                                        1     0
/// ┌───────────────────────────────────────────┬──────┐
/// │ version                                   │ lock │
/// └───────────────────────────────────────────┴──────┘
/// </code>
/// Readers never lock. Who has to look before it leaps (TryAdd, Remove, a factory's result) notes the version, reads, perhaps from the disk, and locks
/// only if the version is still the same. Inside the lock there is no I/O and no user code, and nothing is waited for but room in the log.
/// </remarks>
internal sealed class RowLocks
{
    private const ulong Locked = 1;
    private const ulong OneVersion = 2;
    private const int Rows = 1 << 13;

    private readonly ulong[] _words = GC.AllocateUninitializedArray<ulong>(Rows, pinned: true);

    public RowLocks() => Array.Clear(_words);

    /// <summary>Bytes of memory.</summary>
    public static long MemoryBytes => Rows * sizeof(ulong);

    /// <summary>The version of the row of a key: waits while a writer is at work.</summary>
    public ulong ReadVersion(ulong hash)
    {
        ref ulong word = ref WordOf(hash);
        SpinWait spin = default;
        ulong seen;
        while (((seen = Volatile.Read(ref word)) & Locked) != 0) spin.SpinOnce(sleep1Threshold: -1);
        return seen;
    }

    /// <summary>Locks the row of a key.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Lock(ulong hash)
    {
        ref ulong word = ref WordOf(hash);
        ulong seen = Volatile.Read(ref word);
        if ((seen & Locked) != 0 || Interlocked.CompareExchange(ref word, seen | Locked, seen) != seen) LockContended(ref word);
    }

    /// <summary>Locks the row of a key unless its version is another one by now.</summary>
    public bool TryLock(ulong hash, ulong version) => Interlocked.CompareExchange(ref WordOf(hash), version | Locked, version) == version;

    /// <summary>Unlocks a row that was changed.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void UnlockChanged(ulong hash)
    {
        ref ulong word = ref WordOf(hash);
        Volatile.Write(ref word, (word & ~Locked) + OneVersion);
    }

    /// <summary>Unlocks a row that was not changed.</summary>
    public void UnlockUnchanged(ulong hash)
    {
        ref ulong word = ref WordOf(hash);
        Volatile.Write(ref word, word & ~Locked);
    }

    /// <summary>Locks every row, waiting for each row's writer. One caller at a time; a writer holds one row and waits for no other.</summary>
    public void LockAll()
    {
        for (ulong row = 0; row < Rows; row++) Lock(row);
    }

    /// <summary>Unlocks every row as changed.</summary>
    public void UnlockAllChanged()
    {
        for (ulong row = 0; row < Rows; row++) UnlockChanged(row);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ref ulong WordOf(ulong hash) => ref _words[hash & (Rows - 1)];

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void LockContended(ref ulong word)
    {
        SpinWait spin = default;
        while (true)
        {
            ulong seen = Volatile.Read(ref word);
            if ((seen & Locked) == 0 && Interlocked.CompareExchange(ref word, seen | Locked, seen) == seen) return;
            spin.SpinOnce(sleep1Threshold: -1);
        }
    }
}
