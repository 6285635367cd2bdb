using HybridCaching.Tiering;

namespace HybridCaching.Tests.Tiering;

public sealed class HitCountsTests
{
    private readonly HitCounts _counts = new(1 << 16);

    [Fact]
    public void Take_NeverCounted_IsZero() => Assert.Equal(0, _counts.Take(1));

    [Fact]
    public void Take_Counted_SaysHowOftenAndBeginsAnew()
    {
        _counts.Count(1);
        _counts.Count(1);

        Assert.Equal((2, 0), (_counts.Take(1), _counts.Take(1)));
    }

    [Fact]
    public void Count_Often_StopsAtThree()
    {
        for (int i = 0; i < 1000; i++) _counts.Count(1);

        Assert.Equal(3, _counts.Take(1));
    }

    [Fact]
    public void Of_Counted_IsTheNumberUntilTaken()
    {
        _counts.Count(1);
        int before = _counts.Of(1);
        _counts.Take(1);

        Assert.Equal((1, 0), (before, _counts.Of(1)));
    }

    [Fact]
    public void Count_AsManyKeysAsHalfThePlaces_FewAreForgotten()
    {
        var random = new Random(1);
        ulong[] hashes = [.. Enumerable.Range(0, 1 << 14).Select(_ => (ulong)random.NextInt64())];
        foreach (ulong hash in hashes) _counts.Count(hash);

        Assert.InRange(hashes.Count(hash => _counts.Of(hash) > 0), (1 << 14) * 0.93, 1 << 14);
    }

    [Fact]
    public void Take_Other_IsZero()
    {
        _counts.Count(1);

        Assert.Equal(0, _counts.Take(0x1234_5678_9ABC_DEF0));
    }
}
