using System.Diagnostics;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace HybridCaching.Tests.Devices;

/// <summary>A cache whose disk breaks and is mended while it is in use, once for all facts about it: what it did meanwhile is kept.</summary>
public abstract class DiskFault : IDisposable
{
    private const int Entries = 60_000;
    private const long FreshKey = 1L << 40;
    private static readonly TimeSpan Observation = TimeSpan.FromSeconds(2);

    private readonly Lazy<bool> _run;

    protected DiskFault() => _run = new Lazy<bool>(Run);

    /// <summary>What went wrong with the calls, by the keys' owners.</summary>
    public IReadOnlyList<string> Failures { get; private set; } = [];

    public TimeSpan LongestCall { get; private set; }

    /// <summary>How long the machine stood still at most.</summary>
    public TimeSpan LongestStall { get; private set; }

    public string? Trouble { get; private set; }

    /// <summary>What the health check said while the disk was broken, each time.</summary>
    public IReadOnlyList<HealthReportEntry> HealthWhileBroken { get; private set; } = [];

    /// <summary>What it said in the end.</summary>
    public HealthStatus HealthAfterwards { get; private set; }

    /// <summary>How many reads found nothing while the disk was broken.</summary>
    public long MissesWhileBroken { get; private set; }

    public long ErrorsCounted { get; private set; }

    /// <summary>How many of a thousand keys, stored while the disk was broken, were found right afterwards.</summary>
    public int HitsWhileBroken { get; private set; }

    public TimeSpan TimeToHeal { get; private set; }

    /// <summary>How many of the entries stored afterwards were hits, and how many of them on the disk.</summary>
    public (int Hits, long DiskHits) AfterHealing { get; private set; }

    public TimeSpan TimeToDispose { get; private set; }

    /// <summary>How long another cache on the same disk took to close while it was broken.</summary>
    public TimeSpan TimeToDisposeBroken { get; private set; }

    public CollectingLoggerFactory Log { get; } = new();

    /// <summary>Less than the default of a second: a call that waits for so long has to be over within the second that is promised.</summary>
    public static TimeSpan DiskTimeout { get; } = TimeSpan.FromMilliseconds(800);

    /// <summary>Breaks and mends the disk, unless that was done before. Skips the test, each time, if it cannot be done here.</summary>
    public void Observe() => Assert.True(_run.Value);

    public abstract void Dispose();

    /// <summary>Whether the cause may be there already when the disk is said to break.</summary>
    protected virtual bool IsBrokenBefore => false;

    /// <summary>Provides the directory.</summary>
    protected abstract string Prepare();

    protected abstract void Break();

    /// <summary>Ends the cause; called again and again until it says that it has.</summary>
    protected abstract bool TryMend();

    protected virtual void Change(FasterCacheOptions options)
    {
    }

    private static string? TroubleOf(FasterCache<long, Stamp> cache) => cache.GetStatistics() is var statistics ? statistics.DiskUnavailableReason ?? statistics.DiskTroubleReason : null;

    private bool Run()
    {
        Run(Prepare());
        return true;
    }

    private void Run(string directory)
    {
        var cache = Open(directory, StampCache.Name, Log);
        var closing = Open(directory, "closing", log: null);
        closing.Fill(0, Entries, version: 1);
        Log.Clear();
        using var health = new CacheHealth(cache);
        using var metronome = new Metronome();
        using var traffic = new Traffic(cache);
        Until.True(() => cache.GetStatistics().DiskHits > 100 && (IsBrokenBefore || TroubleOf(cache) is null), "the disk is used, and works"); // that of a busy machine may not have answered for two seconds

        Break();
        Until.True(() => (Trouble = TroubleOf(cache)) is not null, "the trouble is seen");
        long brokenSince = Stopwatch.GetTimestamp();
        long misses = cache.GetStatistics().Misses;
        var reports = new List<HealthReportEntry>();
        HitsWhileBroken = int.MaxValue;
        int round = 0;
        while (Stopwatch.GetElapsedTime(brokenSince) < Observation || round == 0)
        {
            round++;
            int hits = 0;
            for (long key = FreshKey; key < FreshKey + 1000; key++)
            {
                cache.Fill(key, 1, version: round);
                hits += cache.CountHits(key, 1, round);
            }

            HitsWhileBroken = Math.Min(HitsWhileBroken, hits);
            reports.Add(health.CheckAsync().Result());
        }

        TimeToDisposeBroken = TimeOf("Dispose while the disk is broken", closing.Dispose);
        var statistics = cache.GetStatistics();
        reports.Add(health.CheckAsync().Result());
        HealthWhileBroken = reports;
        MissesWhileBroken = statistics.Misses - misses;
        ErrorsCounted = statistics.DiskReadErrors + statistics.DiskWriteErrors + statistics.Timeouts;

        Until.True(TryMend, "the cause ends");
        long mended = Stopwatch.GetTimestamp();
        Until.True(() => TroubleOf(cache) is null, "it heals");
        TimeToHeal = Stopwatch.GetElapsedTime(mended);
        traffic.Stop();
        (Failures, LongestCall, LongestStall) = (traffic.Failures, traffic.LongestCall, metronome.LongestStall);

        cache.Clear();
        long diskHits = cache.GetStatistics().DiskHits;
        cache.Fill(FreshKey, Entries, version: 0);
        AfterHealing = (cache.CountHits(FreshKey, Entries, version: 0), cache.GetStatistics().DiskHits - diskHits);
        Until.True(() => (HealthAfterwards = health.CheckAsync().Result().Status) == HealthStatus.Healthy, "the health check says that all is well");

        TimeToDispose = TimeOf("Dispose", cache.Dispose);
        TestContext.Current.SendDiagnosticMessage($"{GetType().Name}: healed in {TimeToHeal.TotalSeconds:F1} s, longest call {LongestCall.TotalMilliseconds:F0} ms, the machine stood still for {LongestStall.TotalMilliseconds:F0} ms, closed broken in {TimeToDisposeBroken.TotalSeconds:F1} s: {Trouble}");
    }

    private FasterCache<long, Stamp> Open(string directory, string name, CollectingLoggerFactory? log) => StampCache.Open(directory, log, o =>
    {
        (o.Name, o.DiskBudget, o.DiskTimeout) = (name, "64MB", DiskTimeout);
        Change(o);
    });

    private static TimeSpan TimeOf(string what, Action call)
    {
        long start = Stopwatch.GetTimestamp();
        Crew.MustEnd(what, call);
        return Stopwatch.GetElapsedTime(start);
    }
}
