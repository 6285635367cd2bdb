using HybridCaching.HitRate.References;
using HybridCaching.HitRate.Replay;
using HybridCaching.HitRate.Reporting;
using HybridCaching.HitRate.Traces;

namespace HybridCaching.HitRate.Tests;

public sealed class CacheReplayTests
{
    private const double MemoryPercent = 2;
    private const long TypicalEntryBytes = 4096;

    [Fact]
    public void SizeFor_ManyKeys_IsATypedCacheWithMemoryBesideItsFixedCosts() => AssertSized("typed", Loop(keys: 700_000));

    [Fact]
    public void SizeFor_FewKeys_IsTheCacheOfBytesWithMemoryBesideItsFixedCosts() => AssertSized("bytes", Loop(keys: 20_000));

    [Fact]
    public void SizeFor_Sizes_IsTheCacheOfBytesWithMemoryBesideItsFixedCosts() => AssertSized("bytes", Sizes());

    [Theory]
    [InlineData(700_000)]
    [InlineData(20_000)]
    public void Run_KeysThatComeBackAtOnce_AreHits(int keys)
    {
        var whole = Loop(keys);
        var size = SizeFor(whole);
        var trace = new TraceBuilder("twice", isSized: false);
        for (long key = 0; key < 500; key++)
        {
            trace.Add(key);
            trace.Add(key);
        }

        var result = Run(trace.Build(), size);

        Assert.Equal((500, 500, 500), (result.Statistics.MemoryHits + result.Statistics.DiskHits, result.Statistics.Misses, result.Statistics.Writes)); // a value as long as an eighth of the log's memory may be on its way out
        Assert.Equal(500 * size.UnitBytes, result.SetBytes);
        Assert.Empty(result.Trouble);
    }

    [Fact]
    public void Run_Sizes_StaysWithinTheBudgets()
    {
        var whole = Sizes();
        var size = SizeFor(whole);

        var result = Run(whole.Take(1000), size);

        var budgets = size.At(MemoryPercent, TypicalEntryBytes);
        Assert.InRange(result.MostMemory, result.FixedBytes, budgets.Memory);
        Assert.InRange(result.MostDisk, 1, budgets.Disk);
        Assert.Equal(1000, result.Statistics.MemoryHits + result.Statistics.DiskHits + result.Statistics.Misses);
    }

    [Fact]
    public void Outcome_Figures_CompareWithTheReferences()
    {
        var outcome = OutcomeOf(Loop(keys: 10_000).Take(1000), smallestLog: 0);

        Assert.Equal((62.0, 2.0, -5.0, -5.0, 0.5), (outcome.Hits, outcome.PointsAgainstLru, outcome.MissesAgainstLru, outcome.MemoryPoints, outcome.DiskObjectsPerRequest));
        Assert.True(outcome.IsJudged);
        Assert.Equal("1 timeouts", outcome.Result.Trouble);
    }

    /// <summary>Memory for twenty objects, of which a log takes nineteen; five keys in turn.</summary>
    [Fact]
    public void MemoryPointsBesideLog_LogTakesNearlyAll_AreAgainstWhatItLeaves()
    {
        var outcome = OutcomeOf(Create("loop", new GeneratorSettings(5, 1000, 1)), smallestLog: 1900);

        Assert.Equal((20.0, 20 - 99.5), (outcome.MemoryPointsBesideLog, outcome.MemoryPointsBesideFixed));
    }

    private static Outcome OutcomeOf(Trace trace, long smallestLog)
    {
        var plan = new ReplayPlan(trace, new CacheSize(CacheKind.Bytes, 1000, 100), MemoryPercent, new CacheBudgets(2000, 98_000, TypicalEntryBytes));
        var figures = new ReferenceFigures
        {
            Whole = trace,
            Replayed = trace,
            Capacity = 1000,
            Curves = [],
            Hits = ReferencePolicy.All.ToDictionary(policy => policy.Name, _ => 600L),
            MemoryHits = new Dictionary<double, long> { [MemoryPercent] = 250 },
        };
        var result = new ReplayResult
        {
            Statistics = new CacheStatistics { MemoryHits = 200, DiskHits = 420, Misses = 380, Writes = 380, DiskWrittenBytes = 50_000, Timeouts = 1 },
            SetBytes = 38_000,
            FixedBytes = 0,
            SmallestLogBytes = smallestLog,
            MostMemory = 0,
            HotTier = 0,
            MostDisk = 0,
            Elapsed = default,
        };

        return new Outcome(figures, plan, result);
    }

    private static void AssertSized(string kind, Trace trace)
    {
        var size = SizeFor(trace);

        var budgets = size.At(MemoryPercent, TypicalEntryBytes);
        long? fixedBytes = CacheSizer.FixedBytes(trace, size, budgets);
        Assert.Equal(kind, size.Kind.Name);
        Assert.NotNull(fixedBytes);
        Assert.InRange(budgets.Memory, (long)(CacheSizer.Margin * fixedBytes.Value), long.MaxValue);
        Assert.Equal(size.TotalBytes, budgets.Memory + budgets.Disk);
    }

    private static CacheSize SizeFor(Trace trace) => new CacheSizer(MemoryPercent, TypicalEntryBytes).SizeFor(trace, trace.CapacityAt(10));

    private static ReplayResult Run(Trace trace, CacheSize size) =>
        new CacheReplay(new ReplayPlan(trace, size, MemoryPercent, size.At(MemoryPercent, TypicalEntryBytes)), new WarningCollector()).Run(CancellationToken.None);

    private static Trace Loop(int keys) => Create("loop", new GeneratorSettings(keys, keys, 1));

    private static Trace Sizes() => Create("sizes", new GeneratorSettings(50_000, 100_000, 1));

    private static Trace Create(string name, GeneratorSettings settings) => TraceGenerator.All.Single(generator => generator.Name == name).Create(settings);
}
