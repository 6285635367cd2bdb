namespace HybridCaching.Benchmarks.Shared;

/// <summary>Draws ranks 0 to n - 1 where rank r comes up in proportion to 1 / (r + 1)^skew.</summary>
/// <remarks>J. Gray et al., "Quickly generating billion-record synthetic databases", SIGMOD 1994: the generator of YCSB. Skew is below 1.</remarks>
internal sealed class ZipfRanks
{
    private readonly Random _random;
    private readonly int _count;
    private readonly double _zetaOfAll;
    private readonly double _zetaOfTwo;
    private readonly double _alpha;
    private readonly double _eta;

    public ZipfRanks(int count, double skew, Random random)
    {
        _random = random;
        _count = count;
        _zetaOfTwo = 1 + Math.Pow(0.5, skew);
        for (int rank = 1; rank <= count; rank++) _zetaOfAll += Math.Pow(rank, -skew);
        _alpha = 1 / (1 - skew);
        _eta = (1 - Math.Pow(2.0 / count, 1 - skew)) / (1 - _zetaOfTwo / _zetaOfAll);
    }

    public int Next()
    {
        double draw = _random.NextDouble();
        double share = draw * _zetaOfAll;
        if (share < 1) return 0;
        if (share < _zetaOfTwo) return 1;
        return Math.Min(_count - 1, (int)(_count * Math.Pow(_eta * draw - _eta + 1, _alpha)));
    }
}
