using HybridCaching.Configuration;

namespace HybridCaching.Tiering;

/// <summary>Decides how memory is divided between log and hot tier, by what saves more reads of the disk, and records that are written to it. Counted by anybody, and a count may get lost; one caller at a time decides.</summary>
/// <remarks>
/// <para>
/// What the log would save with more memory is known: the hits on records that have just left it, and the sets that had to append because the record before was not where it may be overwritten. So is what it would lose with less.
/// What the hot tier would lose with a way less is at most what its ways answer on average; nor is it more than so many hits as its hand passes copies: what it gives up was not read for a whole round of the hand (CLOCK, Corbató 1968),
/// and the hand passes no more than <see cref="PassedPerFill"/> copies for each that is put in. Where few keys take most reads that is much less than the average.
/// </para>
/// <para>
/// Most loads are served best by as large a hot tier as there may be; those that read again soon after they have written, and never after that, and those that store the same keys again and again, by the log. Memory that it is given
/// the log fills only with what is stored from then on: while nothing is, it gets none, and what it has not filled serves the hot tier.
/// </para>
/// </remarks>
internal sealed class TierBalance
{
    /// <summary>So many sets that append cost as much as a read of the disk: they are written to it together, found again in its index and moved. One in so many is counted.</summary>
    public const int SetsPerRead = 8;

    /// <summary>So much is counted before each decision.</summary>
    private const int Sample = 128;

    /// <summary>A decision moves one way, twice as many as the one before if that was the same, but no more than this.</summary>
    private const int MostWaysAtOnce = 4;

    /// <summary>For each copy that is put in, the hand passes one that it gives up and spares others at most as often as those were read, of which two bits are kept.</summary>
    private const int PassedPerFill = 4;

    /// <summary>So much more than a hit in the log's memory a copy in the hot tier is worth: it is found in a fifth of the time, and takes less room.</summary>
    private const double HotHitWorth = 1.25;

    private readonly int[] _beyond = new int[MemoryPlan.MaximumHotWays];
    private long _within;
    private long _diskHits;
    private long _logFills;
    private int _counted;
    private long _hotHitsSeen;

    /// <summary>How many ways the last decision moved to the hot tier; less than zero: to the log.</summary>
    private int _moved;

    /// <summary>How many ways the hot tier may have.</summary>
    public int MostWays { get; private set; } = MemoryPlan.MaximumHotWays;

    /// <summary>How many ways may be moved before more was counted.</summary>
    public int WaysAtOnce => Math.Max(1, Math.Abs(_moved));

    /// <summary>Whether enough was counted to decide.</summary>
    public bool IsDue => Volatile.Read(ref _counted) >= Sample;

    /// <summary>Counts a hit on the disk on something that the log has let go.</summary>
    public void CountDiskHit()
    {
        _diskHits++;
        _counted++;
    }

    /// <summary>Counts a hit on the disk part of the log.</summary>
    /// <param name="bytesBeyond">So much more memory the log would have needed.</param>
    /// <param name="wayBytes">What a way of the hot tier takes.</param>
    public void CountDiskHit(long bytesBeyond, long wayBytes)
    {
        CountDiskHit();
        CountBeyond(bytesBeyond, wayBytes);
    }

    /// <summary>Counts one of <see cref="SetsPerRead"/> sets of a key that had a record.</summary>
    /// <param name="bytesBeyond">So much more memory the log would have needed for the record to be overwritten in place; not above zero, if it was, or would have been, so much less had done.</param>
    /// <param name="wayBytes">What a way of the hot tier takes.</param>
    public void CountSet(long bytesBeyond, long wayBytes)
    {
        if (bytesBeyond <= 0)
        {
            CountWithin(1, bytesBeyond, wayBytes);
            return;
        }

        _counted++;
        CountBeyond(bytesBeyond, wayBytes);
    }

    /// <summary>Counts a hit in the log's memory of which the hot tier gets a copy.</summary>
    public void CountLogFill() => _logFills++;

    /// <summary>Counts hits on records that the log has in memory.</summary>
    /// <param name="hits">How many.</param>
    /// <param name="bytesBeyond">Less than zero: so much less memory would have done.</param>
    /// <param name="wayBytes">What a way of the hot tier takes.</param>
    public void CountLogHits(int hits, long bytesBeyond, long wayBytes) => CountWithin(hits, bytesBeyond, wayBytes);

    /// <summary>Decides, and begins to count anew.</summary>
    /// <param name="ways">How many ways the hot tier has.</param>
    /// <param name="hotHits">How often the hot tier had the answer, ever.</param>
    /// <param name="log">Whether the log has use for memory.</param>
    public void Decide(int ways, long hotHits, LogNeed log)
    {
        double lostPerWay = Math.Min(hotHits - _hotHitsSeen, PassedPerFill * (_diskHits + _logFills)) / (double)Math.Max(1, ways);
        double savedPerWay = 0;
        int saved = 0;
        for (int i = 0; i < _beyond.Length; i++)
        {
            saved += _beyond[i];
            savedPerWay = Math.Max(savedPerWay, saved / (i + 1.0));
        }

        if (savedPerWay > lostPerWay && log == LogNeed.More) _moved = Math.Clamp(2 * _moved, -MostWaysAtOnce, -1);
        else if (lostPerWay * HotHitWorth > _within || log == LogNeed.Less) _moved = Math.Clamp(2 * _moved, 1, MostWaysAtOnce);
        else _moved = 0;
        if (_moved != 0) MostWays = Math.Clamp(ways + _moved, 1, MemoryPlan.MaximumHotWays);
        _hotHitsSeen = hotHits;
        _within = _diskHits = _logFills = 0;
        Array.Clear(_beyond);
        Volatile.Write(ref _counted, 0);
    }

    /// <summary>What the log has no use for the hot tier may have, whatever was counted.</summary>
    /// <param name="ways">How many ways the hot tier has.</param>
    public void AllowOneMore(int ways) => MostWays = Math.Clamp(ways + 1, MostWays, MemoryPlan.MaximumHotWays);

    private void CountWithin(int hits, long bytesBeyond, long wayBytes)
    {
        if (-bytesBeyond < wayBytes) _within += hits;
    }

    private void CountBeyond(long bytesBeyond, long wayBytes)
    {
        if (wayBytes > 0 && (ulong)(bytesBeyond / wayBytes) < (ulong)_beyond.Length) _beyond[bytesBeyond / wayBytes]++;
    }
}
