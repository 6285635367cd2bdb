using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using HybridCaching.Configuration;

namespace HybridCaching.HotTier;

/// <summary>The directory entry of a row, a cache line: its word, and for each of its ways a tag of the key that is there, how often it was read, and whether it is on probation, or the only place where its entry is.</summary>
[StructLayout(LayoutKind.Sequential, Size = 64)]
internal struct HotRow
{
    public const int MaximumWays = MemoryPlan.MaximumHotWays;

    private const uint MaximumFrequency = 3;

    /// <summary>One way in so many is for copies on probation.</summary>
    private const int WaysPerProbation = 6;

    /// <summary>Of an entry that is stored again, a copy that was used less often is soon given up, and the log would have to have it again.</summary>
    private const int UsesToBeUnlogged = 2;

    /// <summary>Bits of a way's number.</summary>
    private const int BitsPerWay = 5;

    public ulong Word;

    /// <summary>Two bits per way. Readers count it up without a lock: a count may get lost.</summary>
    private ulong _frequencies;

    /// <summary>The ways on probation in the order they were put there, five bits each, the newest lowest.</summary>
    private uint _waiting;

    /// <summary>The ways on probation, a bit each.</summary>
    private uint _onProbation;

    /// <summary>Where the search for a victim goes on.</summary>
    private int _hand;

    /// <summary>A byte of each key's hash; 0 stands for an empty way.</summary>
    private Tags _tags;

    /// <summary>The ways with entries that the log does not have, a bit each.</summary>
    private uint _unlogged;

    /// <summary>The ways with entries that the log does not have, a bit each. To be trusted under the row's lock only.</summary>
    public readonly uint Unlogged => _unlogged;

    /// <summary>The ways with copies of what the log had when they were made, a bit each. To be trusted under the row's lock only.</summary>
    public readonly uint Logged => ~(WaysWith(0) | _unlogged);

    /// <summary>The ways whose key may have this tag, a bit each.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public readonly uint WaysWith(byte tag) => Vector256.Equals(Vector256.LoadUnsafe(in _tags[0]), Vector256.Create(tag)).ExtractMostSignificantBits();

    /// <summary>Fills a way, or empties it with the tag 0.</summary>
    public void SetTag(int way, byte tag)
    {
        _tags[way] = tag;
        ClearUses(way);
        SetLogged(way);
        if ((_onProbation & (1u << way)) != 0) EndProbation(way);
    }

    public void ClearTags()
    {
        _tags = default;
        _unlogged = 0;
    }

    /// <summary>Whether the log need not have the entry of a way: it was used often, and of half of the ways, those on probation not counted, the log has it.</summary>
    public readonly bool MayBeUnlogged(int way, int ways) =>
        UsesOf(way) >= UsesToBeUnlogged && (_onProbation & (1u << way)) == 0 && BitOperations.PopCount(_unlogged) < BitOperations.PopCount(AllOf(ways) & ~_onProbation) / 2;

    /// <summary>The log does not have the entry of a way, from now on.</summary>
    public void SetUnlogged(int way) => _unlogged |= 1u << way;

    /// <summary>The log has the entry of a way again.</summary>
    public void SetLogged(int way) => _unlogged &= ~(1u << way);

    /// <summary>Makes room for a copy that comes from a way that is given up and must not get lost.</summary>
    /// <param name="from">The way it comes from.</param>
    /// <param name="ways">How many ways are left.</param>
    /// <returns>The way it goes to; -1 if all that are left have such entries, too.</returns>
    public int TakeForUnlogged(int from, int ways)
    {
        int way = Take(_tags[from], ways);
        if (way < 0) return -1;
        SetUnlogged(way);
        CountUse(way);
        return way;
    }

    /// <summary>Notes that the way was read. Saturates, so that a key read again and again by many threads is not written to.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void CountUse(int way)
    {
        ulong seen = _frequencies;
        if (((seen >> (2 * way)) & MaximumFrequency) != MaximumFrequency) _frequencies = seen + (1UL << (2 * way));
    }

    /// <summary>How often the way was read since it was filled or spared last; no more than three times are counted.</summary>
    public readonly int UsesOf(int way) => (int)((_frequencies >> (2 * way)) & MaximumFrequency);

    /// <summary>Takes one of its reads from a way that is spared for it.</summary>
    public void Spare(int way) => _frequencies -= 1UL << (2 * way);

    /// <summary>Forgets the reads of a way.</summary>
    public void ClearUses(int way) => _frequencies &= ~((ulong)MaximumFrequency << (2 * way));

    /// <summary>Whether one of so many ways is empty.</summary>
    public readonly bool HasEmptyWay(int ways) => EmptyWay(ways) >= 0;

    /// <summary>Looks at one copy to give up. One that was read since it was looked at last is spared.</summary>
    /// <returns>Whether it was not: then it is the next that <see cref="Take(byte, int)"/> gives up.</returns>
    public bool IsNextUnread(int ways)
    {
        if (Candidates(ways) == 0) return false;
        int way = NextCandidate(ways);
        if (UsesOf(way) == 0)
        {
            _hand = way;
            return true;
        }

        Spare(way);
        return false;
    }

    /// <summary>Fills a way with a copy: an empty one, or that of a copy to give up.</summary>
    /// <returns>The way; -1 if the log has the entry of none.</returns>
    public int Take(byte tag, int ways)
    {
        int way = EmptyWay(ways);
        if (way < 0 && Candidates(ways) == 0) return -1;
        if (way < 0) way = Victim(ways);
        SetTag(way, tag);
        return way;
    }

    /// <summary>The same, but while a row is full and the key was not seen before, the way of the oldest copy on probation. S3-FIFO (Yang et al. 2023) within a row.</summary>
    /// <param name="tag">The key's tag.</param>
    /// <param name="ways">How many ways are in use.</param>
    /// <param name="ghosts">The keys that were dropped from probation.</param>
    /// <returns>The way; -1 if the log has the entry of none.</returns>
    public int Take(byte tag, int ways, ref GhostTags ghosts)
    {
        if (HasEmptyWay(ways) || Candidates(ways) == 0 || ghosts.TryRemove(tag, now: 0) || ways < WaysPerProbation) return Take(tag, ways);
        int way = WayOfProbation(ways, ref ghosts);
        SetTag(way, tag);
        _onProbation |= 1u << way;
        _waiting = (_waiting << BitsPerWay) | (uint)way;
        return way;
    }

    /// <summary>An empty way; -1 if there is none.</summary>
    private readonly int EmptyWay(int ways)
    {
        uint empty = WaysWith(0) & AllOf(ways);
        return empty == 0 ? -1 : BitOperations.TrailingZeroCount(empty);
    }

    /// <summary>The way to give up of those not on probation: CLOCK with counts of two bits (Corbató 1968).</summary>
    /// <param name="ways">How many ways are in use.</param>
    private int Victim(int ways)
    {
        while (true)
        {
            int way = NextCandidate(ways);
            if (UsesOf(way) == 0) return way;
            Spare(way);
        }
    }

    /// <summary>Moves the hand on to the next way that may be given up. There has to be one.</summary>
    private int NextCandidate(int ways)
    {
        uint candidates = Candidates(ways);
        while (true)
        {
            int way = _hand < ways ? _hand : 0;
            _hand = way + 1;
            if ((candidates & (1u << way)) != 0) return way;
        }
    }

    /// <summary>The ways that may be given up, a bit each: those with entries that the log has; of these, those not on probation, if there are any and more than a few ways.</summary>
    private readonly uint Candidates(int ways)
    {
        uint logged = AllOf(ways) & ~_unlogged;
        uint candidates = logged & ~_onProbation;
        return ways < WaysPerProbation || candidates == 0 ? logged : candidates;
    }

    /// <summary>So many ways, the first ones, a bit each.</summary>
    public static uint AllOf(int ways) => (uint)((1UL << ways) - 1);

    /// <summary>A way for one copy more on probation. The oldest there makes room: it stays for good if it was read more than once, else its key is remembered.</summary>
    private int WayOfProbation(int ways, ref GhostTags ghosts)
    {
        int waiting = BitOperations.PopCount(_onProbation);
        if (waiting < ways / WaysPerProbation) return Victim(ways);
        int oldest = WaitingAt(waiting - 1);
        if (UsesOf(oldest) > 1)
        {
            int victim = Victim(ways); // another one, unless all others have entries that the log does not have
            ClearUses(oldest);
            if (victim != oldest) EndProbation(oldest);
            return victim;
        }

        ghosts.Add(_tags[oldest], now: 0);
        return oldest;
    }

    /// <summary>A way on probation.</summary>
    /// <param name="place">How many were put there later.</param>
    private readonly int WaitingAt(int place) => (int)((_waiting >> (BitsPerWay * place)) & (MaximumWays - 1));

    private void EndProbation(int way)
    {
        _onProbation &= ~(1u << way);
        int place = 0;
        while (WaitingAt(place) != way) place++;
        uint later = (1u << (BitsPerWay * place)) - 1;
        _waiting = (_waiting & later) | ((_waiting >> BitsPerWay) & ~later);
    }

    [InlineArray(MaximumWays)]
    private struct Tags
    {
        private byte _first;
    }
}
