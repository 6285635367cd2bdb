using FsCheck;
using FsCheck.Fluent;
using HybridCaching.Tests.Concurrency;

namespace HybridCaching.Tests.Distributed;

/// <summary>Random sequences of calls, restarts and passing time give what a dictionary with a clock gives; where entries have to leave, that or nothing.</summary>
public sealed class BytesModelTests
{
    private const int Keys = 12;
    private const int Steps = 60;

    /// <summary>All of them, and what else is stored, are less than the disk holds.</summary>
    private const int PushesThatFit = 6;

    private static readonly Gen<int> AnyLength = Gen.Frequency(
        (2, Gen.Constant(0)), (4, Gen.Choose(1, 100)), (5, Gen.Choose(100, 5_000)), (2, Gen.Choose(5_000, 40_000)), (1, Gen.Choose(40_000, BytesCache.LargestValue)));

    private static readonly Arbitrary<BytesModelStep[]> AnySequence = SequenceWith(pushes: 2, advances: 10, lasting: 1);
    private static readonly Arbitrary<BytesModelStep[]> SequenceThatPushesOut = SequenceWith(pushes: 8, advances: 4, lasting: 14);

    [Fact]
    public void Calls_InMemoryOnly_GiveWhatTheModelGives() => Check(times: 150, steps => new BytesModelRun(directory: null).Take(steps));

    [Fact]
    public void Calls_InMemoryOnlyWithDefaultExpirations_GiveWhatTheModelGives() => Check(times: 100, steps => new BytesModelRun(directory: null)
    {
        Change = o => (o.DefaultSlidingExpiration, o.DefaultTimeToLive) = (TimeSpan.FromSeconds(8), TimeSpan.FromSeconds(20)),
    }.Take(steps));

    [Fact]
    public void Calls_MostOnDisk_GiveWhatTheModelGives() => CheckOnDisk(times: 12, pushes: true, restarts: false, hotTierShare: null);

    [Fact]
    public void Calls_MostOnDiskWithoutAHotTier_GiveWhatTheModelGives() => CheckOnDisk(times: 12, pushes: true, restarts: false, hotTierShare: 0);

    [Fact]
    public void Calls_WithRestarts_GiveWhatTheModelGives() => CheckOnDisk(times: 15, pushes: false, restarts: true, hotTierShare: null);

    [Fact]
    public void Calls_WithRestartsAndMostOnDisk_GiveWhatTheModelGives() => CheckOnDisk(times: 10, pushes: true, restarts: true, hotTierShare: null);

    [Fact]
    public void Calls_WhatIsStoredLeavesMemoryAndDisk_NeverGiveAnythingElse() => CheckForgetting(times: 6);

    [Fact]
    [Trait("Category", "Soak")]
    public void Calls_WhatIsStoredLeavesMemoryAndDiskForLong_NeverGiveAnythingElse()
    {
        var duration = Duration.OfSoak();
        while (!duration.IsOver) CheckForgetting(times: 6);
    }

    [Fact]
    [Trait("Category", "Soak")]
    public void Calls_WithRestartsAndMostOnDiskForLong_GiveWhatTheModelGives()
    {
        var duration = Duration.OfSoak();
        while (!duration.IsOver) CheckOnDisk(times: 10, pushes: true, restarts: true, hotTierShare: null);
    }

    /// <summary>Some of the reads must have gone to the disk, and some of the caches have been opened warm, or nothing is proven.</summary>
    private static void CheckOnDisk(int times, bool pushes, bool restarts, double? hotTierShare)
    {
        long diskHits = 0;
        long recovered = 0;
        Check(times, steps =>
        {
            using var directory = new TestDirectory();
            var run = new BytesModelRun(directory.Path) { MostPushes = pushes ? PushesThatFit : 0, Restarts = restarts, Change = o => o.HotTierShare = hotTierShare };
            run.Take(steps);
            diskHits += run.DiskHits;
            recovered += run.Recovered;
        });
        if (pushes) Assert.True(diskHits > 0, "no hits on the disk");
        if (restarts) Assert.True(recovered > 0, "no entries recovered");
    }

    /// <summary>Some of what was stored must have been forgotten, and some been found on the disk and after a restart, or nothing is proven.</summary>
    private static void CheckForgetting(int times)
    {
        long forgotten = 0;
        long diskHits = 0;
        long recovered = 0;
        Check(times, SequenceThatPushesOut, steps =>
        {
            using var directory = new TestDirectory();
            var run = new BytesModelRun(directory.Path) { Disk = "24MB", MostPushes = int.MaxValue, Restarts = true };
            run.Take(steps);
            forgotten += run.Forgotten;
            diskHits += run.DiskHits;
            recovered += run.Recovered;
        });
        Assert.True(forgotten > 0 && diskHits > 0 && recovered > 0, $"{forgotten} entries forgotten, {diskHits} hits on the disk, {recovered} entries recovered");
    }

    private static void Check(int times, Action<BytesModelStep[]> run) => Check(times, AnySequence, run);

    private static void Check(int times, Arbitrary<BytesModelStep[]> sequence, Action<BytesModelStep[]> run) => FsCheck.Check.One(Config.QuickThrowOnFailure.WithMaxTest(times), Prop.ForAll(sequence, run));

    private static Arbitrary<BytesModelStep[]> SequenceWith(int pushes, int advances, int lasting)
    {
        var any =
            from call in Gen.Frequency(
                (6, Gen.Constant(BytesModelCall.Set)), (2, Gen.Constant(BytesModelCall.SetSequence)), (2, Gen.Constant(BytesModelCall.SetAsync)), (3, Gen.Constant(BytesModelCall.Get)),
                (2, Gen.Constant(BytesModelCall.GetAsync)), (2, Gen.Constant(BytesModelCall.TryGetWriter)), (2, Gen.Constant(BytesModelCall.TryGetWriterAsync)), (2, Gen.Constant(BytesModelCall.TryGetSpan)),
                (3, Gen.Constant(BytesModelCall.Refresh)), (1, Gen.Constant(BytesModelCall.RefreshAsync)), (2, Gen.Constant(BytesModelCall.Remove)), (1, Gen.Constant(BytesModelCall.RemoveAsync)),
                (1, Gen.Constant(BytesModelCall.RemoveByPrefix)), (advances, Gen.Constant(BytesModelCall.Advance)), (pushes, Gen.Constant(BytesModelCall.Push)), (2, Gen.Constant(BytesModelCall.Restart)),
                (1, Gen.Constant(BytesModelCall.Clear)))
            from key in Gen.Choose(0, Keys - 1)
            from length in AnyLength
            from lifetime in Gen.Frequency((lasting, Gen.Constant(BytesModelLifetime.None)), (Enum.GetValues<BytesModelLifetime>().Length - 1, Gen.Elements(Enum.GetValues<BytesModelLifetime>())))
            from number in Gen.Choose(0, 8)
            select new BytesModelStep(call, key, length, lifetime, number);
        return Arb.From(any.ArrayOf(Steps), ModelSequence.Shrink);
    }
}
