using FsCheck;
using FsCheck.Fluent;

namespace HybridCaching.Tests.Distributed;

/// <summary>Random sequences of calls, restarts and passing time give what a dictionary with a clock gives, as long as nothing has to leave.</summary>
public sealed class BytesModelTests
{
    private const int Keys = 12;
    private const int Steps = 60;

    private static readonly Gen<int> AnyLength = Gen.Frequency(
        (2, Gen.Constant(0)), (4, Gen.Choose(1, 100)), (5, Gen.Choose(100, 5_000)), (2, Gen.Choose(5_000, 40_000)), (1, Gen.Choose(40_000, BytesCache.LargestValue)));

    private static readonly Gen<BytesModelStep> AnyStep =
        from call in Gen.Frequency(
            (6, Gen.Constant(BytesModelCall.Set)), (2, Gen.Constant(BytesModelCall.SetSequence)), (2, Gen.Constant(BytesModelCall.SetAsync)), (3, Gen.Constant(BytesModelCall.Get)),
            (2, Gen.Constant(BytesModelCall.GetAsync)), (2, Gen.Constant(BytesModelCall.TryGetWriter)), (2, Gen.Constant(BytesModelCall.TryGetWriterAsync)), (2, Gen.Constant(BytesModelCall.TryGetSpan)),
            (3, Gen.Constant(BytesModelCall.Refresh)), (1, Gen.Constant(BytesModelCall.RefreshAsync)), (2, Gen.Constant(BytesModelCall.Remove)), (1, Gen.Constant(BytesModelCall.RemoveAsync)),
            (10, Gen.Constant(BytesModelCall.Advance)), (2, Gen.Constant(BytesModelCall.Push)), (2, Gen.Constant(BytesModelCall.Restart)), (1, Gen.Constant(BytesModelCall.Clear)))
        from key in Gen.Choose(0, Keys - 1)
        from length in AnyLength
        from lifetime in Gen.Elements(Enum.GetValues<BytesModelLifetime>())
        from number in Gen.Choose(0, 8)
        select new BytesModelStep(call, key, length, lifetime, number);

    private static readonly Arbitrary<BytesModelStep[]> AnySequence = Arb.From(AnyStep.ArrayOf(Steps), Shrink);

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
    [Trait("Category", "Soak")]
    public void Calls_WithRestartsAndMostOnDiskForLong_GiveWhatTheModelGives()
    {
        var duration = Concurrency.Duration.OfSoak();
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
            var run = new BytesModelRun(directory.Path) { Pushes = pushes, Restarts = restarts, Change = o => o.HotTierShare = hotTierShare };
            run.Take(steps);
            diskHits += run.DiskHits;
            recovered += run.Recovered;
        });
        if (pushes) Assert.True(diskHits > 0, "no hits on the disk");
        if (restarts) Assert.True(recovered > 0, "no entries recovered");
    }

    private static void Check(int times, Action<BytesModelStep[]> run) => FsCheck.Check.One(Config.QuickThrowOnFailure.WithMaxTest(times), Prop.ForAll(AnySequence, run));

    /// <summary>The same steps without one piece of them.</summary>
    private static IEnumerable<BytesModelStep[]> Shrink(BytesModelStep[] steps)
    {
        for (int length = steps.Length / 2; length > 0; length /= 2)
        {
            for (int start = 0; start + length <= steps.Length; start += length) yield return [.. steps[..start], .. steps[(start + length)..]];
        }
    }
}
