using HybridCaching.Diagnostics;

namespace HybridCaching.Tests.Diagnostics;

public sealed class RepeatedMessageTests
{
    private const int LooksPerMinute = 240;

    private readonly RepeatedMessage _message = new(LooksPerMinute);

    [Fact]
    public void Due_NothingHappened_IsNothing() => Assert.All(Enumerable.Range(0, 1000), _ => Assert.Equal(0, _message.Due(0)));

    [Fact]
    public void Due_FirstTime_IsSaidAtOnce() => Assert.Equal(1, _message.Due(1));

    [Fact]
    public void Due_ManyBeforeTheFirstLook_AreCounted() => Assert.Equal(17, _message.Due(17));

    [Fact]
    public void Due_WithinTheMinute_IsNothing()
    {
        _message.Due(1);

        Assert.All(Enumerable.Range(2, LooksPerMinute - 1), total => Assert.Equal(0, _message.Due(total)));
    }

    [Fact]
    public void Due_AfterAMinute_TellsAllThatHappenedMeanwhile()
    {
        _message.Due(1);
        for (int look = 1; look < LooksPerMinute; look++) _message.Due(1 + (2 * look));

        Assert.Equal((2 * LooksPerMinute) - 1, _message.Due(2 * LooksPerMinute));
    }

    [Fact]
    public void Due_QuietForMinutesThenAgain_IsSaidAtOnce()
    {
        _message.Due(1);
        for (int look = 0; look < 3 * LooksPerMinute; look++) Assert.Equal(0, _message.Due(1));

        Assert.Equal(1, _message.Due(2));
    }

    [Fact]
    public void Due_AllTheTimeForAnHour_IsSaidOnceAMinute()
    {
        var said = Enumerable.Range(1, 60 * LooksPerMinute).Select(total => _message.Due(total)).Where(news => news > 0).ToList();

        Assert.Equal(60, said.Count);
    }

    /// <summary>Nothing is said twice, and no more is kept back than a minute's worth.</summary>
    [Fact]
    public void Due_AnyTimes_AddUpToAll()
    {
        var random = new Random(1);
        long total = 0;
        long said = 0;
        for (int look = 0; look < 100_000; look++)
        {
            if (random.Next(50) == 0) total += random.Next(5);
            said += _message.Due(total);
        }

        for (int look = 0; look < LooksPerMinute; look++) said += _message.Due(total);
        Assert.Equal(total, said);
    }
}
