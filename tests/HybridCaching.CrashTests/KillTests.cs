using HybridCaching.CrashTests.Child;

namespace HybridCaching.CrashTests;

/// <summary><c>kill -9</c>, by chance and at named points: whatever the next process finds is right, and nothing that was overwritten, removed or had expired comes back.</summary>
[Collection(nameof(RunsAlone))]
[Trait("Category", "Crash")]
public sealed class KillTests
{
    private const int LongWork = 1950;
    private const int UsualWork = 600;
    private const int MostAttempts = 40;
    private const int TimesPerPoint = 10;

    public static TheoryData<string> Points { get; } = new(FaultPoints.All.Where(static point => !FaultPoints.IsOfTakeOver(point)));

    /// <summary>Two of three kills are of the cache of bytes, which does more.</summary>
    [Theory]
    [InlineData(CacheKind.Bytes)]
    [InlineData(CacheKind.Typed)]
    public void Start_AfterKillsByChanceAndAtPoints_FindsNothingWrongOrStale(CacheKind kind)
    {
        int typed = Amount.Kills / 3;
        int kills = kind == CacheKind.Typed ? typed : Amount.Kills - typed;
        using var campaign = new Campaign(kind, Amount.Seed + (int)kind) { LongestWork = Amount.Of(UsualWork, LongWork) };
        var random = new Random(Amount.Seed);
        var points = new Queue<string>(FaultPoints.All.Where(static point => !FaultPoints.IsOfTakeOver(point)).OrderBy(_ => random.Next()));
        for (int attempt = 0; campaign.Figures.Kills < kills && attempt < MostAttempts * kills; attempt++)
        {
            if ((attempt & 1) == 0)
            {
                campaign.KillByChance();
                continue;
            }

            // A point that was not reached is tried again later.
            string point = points.Dequeue();
            campaign.KillAt(point, occurrence: 1 + random.Next(3));
            points.Enqueue(point);
        }

        campaign.RunToEnd(static plan => plan with { Steward = StewardTask.None });
        campaign.End();

        Assert.Equal(kills, campaign.Figures.Kills);
        Assert.True(campaign.Figures.Judged > 0, "nothing was found after any start");
        foreach (string loss in campaign.Figures.Losses) TestContext.Current.SendDiagnosticMessage(loss);
        Report.Add($"{kind}: kills", campaign.Figures.ToString());
        if (campaign.Figures.Expected > 0) Report.Add($"{kind}: entries of the last checkpoint found after a kill by chance", campaign.Figures.FoundText); // in a long run all have evicted, so that no entry is certain to be there
    }

    [Theory]
    [MemberData(nameof(Points))]
    public void Start_AfterTenKillsAtAPoint_FindsNothingWrongOrStale(string point)
    {
        Amount.SkipUnlessLong();
        using var campaign = new Campaign(CacheKind.Bytes, Amount.Seed) { LongestWork = UsualWork };
        var random = new Random(Amount.Seed);
        for (int attempt = 0; KillsThere() < TimesPerPoint && attempt < MostAttempts * TimesPerPoint; attempt++)
        {
            // Some points are come by only after a kill, others only after a clean end.
            if (!campaign.KillAt(point, occurrence: 1 + random.Next(3)) && random.Next(2) == 0) campaign.KillByChance();
        }

        campaign.End();

        Assert.Equal(TimesPerPoint, KillsThere());
        Report.Add($"point `{point}`", campaign.Figures.ToString());

        int KillsThere() => campaign.Figures.Points.GetValueOrDefault(point);
    }

    /// <summary>A point that nobody comes by tests nothing.</summary>
    [Fact]
    public void Points_OfTheSource_AreAllComeBy()
    {
        using var campaign = new Campaign(CacheKind.Bytes, Amount.Seed) { LongestWork = UsualWork };
        var expected = FaultPoints.All.Where(static point => !FaultPoints.IsOfTakeOver(point)).ToHashSet();
        for (int attempt = 0; attempt < 3 * MostAttempts && !campaign.Figures.Reached.IsSupersetOf(expected); attempt++)
        {
            campaign.RunToEnd(static plan => plan with { WorkMilliseconds = UsualWork });
            if ((attempt & 1) == 1) campaign.KillByChance();
        }

        Assert.Empty(expected.Except(campaign.Figures.Reached));
    }
}
