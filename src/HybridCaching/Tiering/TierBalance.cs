using HybridCaching.Configuration;

namespace HybridCaching.Tiering;

/// <summary>Decides how memory is divided between log and hot tier, by what saves more reads of the disk. Counted by anybody, and a count may get lost; one caller at a time decides.</summary>
/// <remarks>
/// What the log would save with more memory is known: the hits on records that have just left it. What the hot tier would lose is at most what its ways answer on average. So it gives one up when the log would
/// save more by that, and gets it back when it answers more than the log does with as much memory. Most loads are served best by as large a hot tier as there may be; those that read again soon after they have
/// written, and never after that, by the log. Memory that it is given the log fills only with what is stored from then on: while nothing is, it gets none, and what it has not filled serves the hot tier.
/// </remarks>
internal sealed class TierBalance
{
    /// <summary>So many hits on the disk come before each decision: what is decided moves one way.</summary>
    private const int Sample = 128;

    private readonly int[] _beyondHead = new int[MemoryPlan.MaximumHotWays];
    private int _diskHits;
    private long _hotHitsSeen;
    private long _logHitsSeen;

    /// <summary>How many ways the hot tier may have.</summary>
    public int MostWays { get; private set; } = MemoryPlan.MaximumHotWays;

    /// <summary>Whether enough was counted to decide.</summary>
    public bool IsDue => Volatile.Read(ref _diskHits) >= Sample;

    /// <summary>Counts a hit on the disk on something that the log has let go.</summary>
    public void CountHit() => _diskHits++;

    /// <summary>Counts a hit on the disk part of the log.</summary>
    /// <param name="bytesBeyond">So much more memory the log would have needed.</param>
    /// <param name="wayBytes">What a way of the hot tier takes.</param>
    public void CountHit(long bytesBeyond, long wayBytes)
    {
        _diskHits++;
        if (wayBytes > 0 && (ulong)(bytesBeyond / wayBytes) < (ulong)_beyondHead.Length) _beyondHead[bytesBeyond / wayBytes]++;
    }

    /// <summary>Decides, and begins to count anew.</summary>
    /// <param name="ways">How many ways the hot tier has.</param>
    /// <param name="logWays">How many of them the log's memory would be.</param>
    /// <param name="hotHits">How often the hot tier had the answer, ever.</param>
    /// <param name="logHits">How often the log had it in memory, ever.</param>
    /// <param name="log">Whether the log has use for memory.</param>
    public void Decide(int ways, double logWays, long hotHits, long logHits, LogNeed log)
    {
        double hotHitsPerWay = (hotHits - _hotHitsSeen) / (double)Math.Max(1, ways);
        double logHitsPerWay = (logHits - _logHitsSeen) / Math.Max(1, logWays);
        double savedPerWay = 0;
        int saved = 0;
        for (int i = 0; i < _beyondHead.Length; i++)
        {
            saved += _beyondHead[i];
            savedPerWay = Math.Max(savedPerWay, saved / (i + 1.0));
        }

        if (savedPerWay > hotHitsPerWay && log == LogNeed.More) MostWays = Math.Max(1, ways - 1);
        else if (hotHitsPerWay > logHitsPerWay || log == LogNeed.Less) MostWays = Math.Min(ways + 1, MemoryPlan.MaximumHotWays);
        (_hotHitsSeen, _logHitsSeen) = (hotHits, logHits);
        Array.Clear(_beyondHead);
        Volatile.Write(ref _diskHits, 0);
    }
}
