using HybridCaching.Diagnostics;

namespace HybridCaching.Tests.Diagnostics;

public sealed class StandstillTests
{
    [Fact]
    public void Look_NothingWaitedFor_IsNone() => Assert.Equal(0, LooksAfter(null, null, null));

    [Fact]
    public void Look_FirstOne_IsNone() => Assert.Equal(0, LooksAfter(0));

    [Fact]
    public void Look_NothingEnds_CountsEachLook() => Assert.Equal(3, LooksAfter(5, 5, 5, 5));

    [Fact]
    public void Look_SomethingEnds_BeginsAnew() => Assert.Equal(0, LooksAfter(5, 5, 5, 6));

    [Fact]
    public void Look_SomethingEndsAndThenNothing_CountsFromThere() => Assert.Equal(2, LooksAfter(5, 5, 6, 6, 6));

    [Fact]
    public void Look_NothingWaitedForMeanwhile_BeginsAnew() => Assert.Equal(0, LooksAfter(5, 5, null, 5));

    [Fact]
    public void Look_ZeroIsWaitedFor_IsNotTheSameAsNothing() => Assert.Equal(2, LooksAfter(null, 0, 0, 0));

    private static int LooksAfter(params long?[] ended)
    {
        var standstill = default(Standstill);
        foreach (long? count in ended) standstill.Look(count);
        return standstill.Looks;
    }
}
