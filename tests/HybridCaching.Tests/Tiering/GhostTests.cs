using HybridCaching.Tiering;

namespace HybridCaching.Tests.Tiering;

public sealed class GhostTests
{
    private const int Keys = 16_384;

    private readonly Ghost _ghost = new(Keys * Ghost.BytesPerKey);

    [Fact]
    public void Take_NeverAdded_IsFalse() => Assert.False(_ghost.Take(Hash(1)));

    [Fact]
    public void Take_Added_IsTrueOnce()
    {
        _ghost.Add(Hash(1));

        Assert.True(_ghost.Take(Hash(1)));
        Assert.False(_ghost.Take(Hash(1)));
    }

    [Fact]
    public void Take_AThirdOfWhatItHolds_RemembersNearlyAll()
    {
        for (int key = 0; key < Keys / 3; key++) _ghost.Add(Hash(key));

        Assert.InRange(Enumerable.Range(0, Keys / 3).Count(key => _ghost.Take(Hash(key))), Keys / 3 * 0.97, Keys / 3);
    }

    [Fact]
    public void Take_TwiceAsManyAddedSince_HasForgotten()
    {
        for (int key = 0; key < 3 * Keys; key++) _ghost.Add(Hash(key));

        Assert.InRange(Enumerable.Range(0, Keys).Count(key => _ghost.Take(Hash(key))), 0, Keys / 20);
    }

    [Fact]
    public void Limit_AnEighth_ForgetsWhatIsOlder()
    {
        _ghost.Limit(Keys / 8);
        for (int key = 0; key < Keys; key++) _ghost.Add(Hash(key));

        Assert.InRange(Enumerable.Range(0, Keys / 2).Count(key => _ghost.Contains(Hash(key))), 0, Keys / 100);
        Assert.InRange(Enumerable.Range(Keys - 200, 200).Count(key => _ghost.Contains(Hash(key))), 150, 200);
    }

    [Fact]
    public void Take_Strangers_AreHardlyEverTakenForOthers()
    {
        for (int key = 0; key < Keys; key++) _ghost.Add(Hash(key));

        Assert.InRange(Enumerable.Range(Keys, Keys).Count(key => _ghost.Take(Hash(key))), 0, Keys / 500);
    }

    private static ulong Hash(int key)
    {
        ulong hash = (ulong)(key + 1) * 0x9E37_79B9_7F4A_7C15;
        hash = (hash ^ (hash >> 30)) * 0xBF58_476D_1CE4_E5B9;
        return hash ^ (hash >> 27);
    }
}
