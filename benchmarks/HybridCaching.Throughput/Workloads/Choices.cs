namespace HybridCaching.Throughput.Workloads;

/// <summary>What one client draws: operations and ranks of entries. Ranks are drawn beforehand, since drawing one takes as long as many a read.</summary>
internal sealed class Choices
{
    private const int Drawn = 1 << 21;
    private const ulong Multiplier = 6364136223846793005;
    private const ulong Increment = 1442695040888963407;

    private readonly int[] _ranks = new int[Drawn];
    private ulong _state;
    private int _next;

    public Choices(int entries, int seed)
    {
        var ranks = new ZipfRanks(entries, Mix.Skew, new Random(seed));
        for (int i = 0; i < _ranks.Length; i++) _ranks[i] = ranks.Next();
        _state = (ulong)KeyHash.Of(seed);
    }

    public int Rank() => _ranks[_next++ & (Drawn - 1)];

    public Operation Operation(Mix mix) => mix.At(Below(100));

    public int ScanLength() => 1 + Below(Mix.LongestScan);

    private int Below(int limit)
    {
        _state = (_state * Multiplier) + Increment;
        return (int)(((_state >> 32) * (ulong)limit) >> 32);
    }
}
