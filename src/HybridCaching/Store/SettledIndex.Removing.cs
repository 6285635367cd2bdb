using System.Numerics;
using System.Runtime.CompilerServices;
using HybridCaching.Diagnostics;

namespace HybridCaching.Store;

internal sealed unsafe partial class SettledIndex
{
    /// <summary>Removes a key's words. The caller holds the lock of its row.</summary>
    /// <returns>Whether there may have been a record.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool Remove(ulong hash) => _isUsed && RemoveAll(hash);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool RemoveAll(ulong hash)
    {
        bool removed = false;
        foreach (var table in _tables) removed |= RemoveFrom(table, hash);
        GC.KeepAlive(this);
        return removed;
    }

    /// <summary>Empties the places of a table whose words have a key's tag; whether one led to a record. A word that was on its way meanwhile may have been met nowhere, or may have left a copy: then it is done again.</summary>
    private bool RemoveFrom(SettledTable table, ulong hash)
    {
        ulong tag = TagOf(hash);
        bool removed = false;
        for (BusyWait wait = default; ; wait.Once())
        {
            long relocations = Relocations;
            var at = table.Locate(hash, tag);
            removed |= RemoveFrom(table.FirstBucket(in at), tag) | RemoveFrom(table.SecondBucket(in at), tag);
            Volatile.ReadBarrier(); // both were read before this is looked at
            if (table.IsStill(in at) && Relocations == relocations && (relocations & 1) == 0) return removed;
        }
    }

    /// <summary>Empties the places of a bucket whose words have a tag; whether one led to a record.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool RemoveFrom(ulong* bucket, ulong tag)
    {
        bool removed = false;
        for (uint matches = Matching(bucket, _tagMask, tag); matches != 0; matches &= matches - 1)
        {
            removed |= RemoveFrom(ref bucket[BitOperations.TrailingZeroCount(matches)], tag);
        }

        return removed;
    }

    /// <summary>Empties a place if its word has a tag; whether that led to a record.</summary>
    private bool RemoveFrom(ref ulong place, ulong tag)
    {
        ulong word = Volatile.Read(ref place);
        while ((word & _tagMask) == tag && word != 0)
        {
            ulong found = Interlocked.CompareExchange(ref place, 0, word);
            if (found == word)
            {
                bool wasLive = IsLive(word);
                Interlocked.Decrement(ref _counts.Words);
                CountDead(word);
                return wasLive;
            }

            word = found; // moved to another address, or counted up
        }

        return false;
    }
}
