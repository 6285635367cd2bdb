using HybridCaching.HotTier;

namespace HybridCaching.Tests.HotTier;

public sealed class GhostTagsTests
{
    private GhostTags _ghosts;

    [Fact]
    public void TryRemove_NeverAdded_IsFalse() => Assert.False(_ghosts.TryRemove(1, now: 0));

    [Fact]
    public void TryRemove_Added_IsTrueOnce()
    {
        _ghosts.Add(1, now: 0);
        Assert.Equal((true, false), (_ghosts.TryRemove(1, now: 0), _ghosts.TryRemove(1, now: 0)));
    }

    [Fact]
    public void TryRemove_OtherTag_IsFalse()
    {
        _ghosts.Add(1, now: 0);
        Assert.False(_ghosts.TryRemove(2, now: 0));
    }

    [Fact]
    public void TryRemove_AsManyAddedAsItRemembers_FindsAll()
    {
        for (byte tag = 1; tag <= GhostTags.Length; tag++) _ghosts.Add(tag, now: 0);
        Assert.All(Enumerable.Range(1, GhostTags.Length), tag => Assert.True(_ghosts.TryRemove((byte)tag, now: 0)));
    }

    [Fact]
    public void TryRemove_OneAddedTooMany_HasForgottenTheOldest()
    {
        for (byte tag = 1; tag <= GhostTags.Length + 1; tag++) _ghosts.Add(tag, now: 0);
        Assert.Equal((false, true), (_ghosts.TryRemove(1, now: 0), _ghosts.TryRemove(2, now: 0)));
    }

    /// <summary>The time comes round again after 255.</summary>
    [Theory]
    [InlineData(0, GhostTags.Lifetime - 1, true)]
    [InlineData(0, GhostTags.Lifetime, false)]
    [InlineData(255, GhostTags.Lifetime - 2, true)]
    [InlineData(255, GhostTags.Lifetime - 1, false)]
    public void TryRemove_Later_IsTrueWithinItsLifetime(byte added, byte now, bool isFound)
    {
        _ghosts.Add(1, added);
        Assert.Equal(isFound, _ghosts.TryRemove(1, now));
    }
}
