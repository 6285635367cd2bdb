using System.Globalization;
using HybridCaching.Devices;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Devices;

/// <summary>A limit on the length of files (<c>ulimit -f</c>) for real, in a process of its own: whoever writes beyond it is sent SIGXFSZ, which would end the process.</summary>
public sealed class FileSizeLimitTests
{
    private const string NoLimit = "unlimited";

    [Fact]
    public async Task Cache_LimitComesAndGoes_KeepsEveryPromise()
    {
        SkipWithoutLimits();

        await ChildTest.MustPassAsync(typeof(FileSizeLimitTests), nameof(Child_LimitComesAndGoes_KeepsEveryPromise));
    }

    [Fact]
    public async Task Open_LimitIsZero_ServesFromMemory()
    {
        SkipWithoutLimits();

        await ChildTest.MustPassAsync(typeof(FileSizeLimitTests), nameof(Child_OpenWithALimitOfZero_ServesFromMemory));
    }

    /// <summary>Not where it would not fit: half a segment can be used.</summary>
    [Fact]
    public async Task Set_LimitWithinASegment_UsesWhatItMay()
    {
        SkipWithoutLimits();

        await ChildTest.MustPassAsync(typeof(FileSizeLimitTests), nameof(Child_LimitWithinASegment_UsesWhatItMay));
    }

    [Fact]
    public void ThrowIfBeyond_NoLimit_Allows() => FileSizeLimit.ThrowIfBeyond(1L << 40);

    [Fact(Explicit = true)]
    public void Child_LimitComesAndGoes_KeepsEveryPromise()
    {
        using var fault = new LimitedFiles();
        var promises = new Promises(fault);
        promises.Calls_DiskBreaks_NeitherThrowNorFindAnythingWrong();
        promises.Calls_DiskBreaks_NoneTakesMoreThanASecond();
        promises.Statistics_DiskBreaks_TellAndCount();
        promises.Health_DiskBroken_IsDegradedAndSaysWhy();
        promises.Health_Healed_IsHealthy();
        promises.Get_DiskBroken_IsAMiss();
        promises.Get_DiskBroken_FindsWhatIsInMemory();
        promises.Log_DiskBreaks_SaysEachThingOnce();
        promises.Log_CauseEnds_SaysSoOnce();
        promises.Cache_CauseEnds_HealsByItself();
        promises.Get_Healed_FindsNewEntriesOnTheDisk();
        promises.Dispose_DiskBroken_Ends();
        promises.Dispose_Healed_Ends();
    }

    [Fact(Explicit = true)]
    public void Child_OpenWithALimitOfZero_ServesFromMemory()
    {
        using var directory = new TestDirectory();
        Limit("0");
        using var cache = StampCache.Open(directory.Path);
        cache.Fill(0, 1000, version: 1);

        Found.All(1000, cache.CountHits(0, 1000, version: 1));
        Assert.Contains("ulimit", cache.GetStatistics().DiskUnavailableReason, StringComparison.Ordinal);
    }

    [Fact(Explicit = true)]
    public void Child_LimitWithinASegment_UsesWhatItMay()
    {
        using var directory = new TestDirectory();
        using var cache = StampCache.Open(directory.Path);
        Limit((cache.Tiers.Plan.SegmentBytes / 2).ToString(CultureInfo.InvariantCulture));
        cache.Fill(0, 200_000, version: 1);

        int hits = cache.CountHits(0, 200_000, version: 1);

        Assert.InRange(cache.GetStatistics().DiskHits, 1000, hits);
        Assert.InRange(cache.GetStatistics().DiskWriteErrors, 1, long.MaxValue);
    }

    private static void SkipWithoutLimits()
    {
        if (!OperatingSystem.IsLinux() || !Tool.TryRun("prlimit", "--version")) Assert.Skip("This needs Linux and prlimit (package util-linux).");
    }

    /// <summary>Only the soft limit: it can be taken back.</summary>
    private static void Limit(string bytes) =>
        Assert.True(Tool.TryRun("prlimit", "--pid", Environment.ProcessId.ToString(CultureInfo.InvariantCulture), $"--fsize={bytes}:{NoLimit}"), "prlimit");

    private sealed class Promises(LimitedFiles fault) : DiskFaultTests<LimitedFiles>(fault);

    private sealed class LimitedFiles : DiskFault
    {
        private readonly TestDirectory _directory = new();

        public override void Dispose() => _directory.Dispose();

        protected override string Prepare() => _directory.Path;

        protected override void Break() => Limit("16384");

        protected override bool TryMend()
        {
            Limit(NoLimit);
            return true;
        }
    }
}
