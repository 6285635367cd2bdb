using HybridCaching.Diagnostics;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Tiering;

/// <summary>The disk hangs while the manifest of a checkpoint is renamed, and the checkpoint is given up.</summary>
[Collection(nameof(RunsAlone))]
public sealed class GivenUpCheckpointTests : IDisposable
{
    private const int Entries = 1_000;
    private const int CheckpointTaken = 16;
    private const int CheckpointRemains = 19;

    private readonly TestDirectory _directory = new();
    private readonly CollectingLoggerFactory _log = new();
    private readonly ManualResetEventSlim _goOn = new();
    private readonly FasterCache<long, Stamp> _cache;

    public GivenUpCheckpointTests()
    {
        _cache = StampCache.Open(_directory.Path, _log, o => o.DiskTimeout = TimeSpan.FromSeconds(2));
        _cache.Fill(0, Entries, version: 1);
    }

    [Fact]
    public async Task CheckpointAsync_GivenUp_CallsGoOnAndItsManifestGoesWhenItCan()
    {
        await GiveUpAsync();
        Crew.MustEnd("Set", () => _cache.Fill(0, Entries, version: 2));
        Assert.True(File.Exists(Manifest));

        _goOn.Set();

        Until.True(() => !File.Exists(Manifest), "the manifest is gone");
    }

    [Fact]
    public async Task CheckpointAsync_GivenUp_IsNotToldAsTaken()
    {
        await GiveUpAsync();
        _goOn.Set();
        Until.True(() => !File.Exists(Manifest), "the manifest is gone");

        Assert.DoesNotContain(_log.Entries, static e => e.Id.Id is CheckpointTaken or CheckpointRemains);
    }

    /// <summary>What others write is no sign of life of what hangs.</summary>
    [Fact]
    public async Task CheckpointAsync_EarlierOneHangsAndOthersWrite_GivesUp()
    {
        await GiveUpAsync();
        using var ended = new CancellationTokenSource();
        var writer = new Thread(() =>
        {
            for (long first = Entries; !ended.IsCancellationRequested; first += Entries) _cache.Fill(first, Entries, version: 1);
        });
        writer.Start();
        try
        {
            Assert.False(await _cache.Tiers.CheckpointAsync(CancellationToken.None).WaitAsync(Until.Deadline, TestContext.Current.CancellationToken));
        }
        finally
        {
            await ended.CancelAsync();
            writer.Join();
        }
    }

    /// <summary>Until it has ended, nobody else may put records into the main log: pages are not looked through but written.</summary>
    [Fact]
    public async Task DiskWriteBudget_CheckpointWasGivenUp_CountsAgainWhenItHasEnded()
    {
        using var cache = StampCache.Open(_directory.Combine("choosy"), change: o => (o.DiskWriteBudget, o.DiskBudget, o.DiskTimeout) = ("1B", "32MB", TimeSpan.FromMilliseconds(100)));
        await cache.GiveUpCheckpointAsync(_goOn.Wait);
        cache.Fill(0, 150 * Entries, version: 1);
        Assert.Equal(0, cache.GetStatistics().WithheldWrites);

        _goOn.Set();

        long next = 150 * Entries;
        Until.True(
            () =>
            {
                cache.Fill(next, 10 * Entries, version: 1);
                next += 10 * Entries;
                return cache.GetStatistics().WithheldWrites > 0;
            },
            "pages are withheld");
    }

    public void Dispose()
    {
        Fault.Reached = null;
        _goOn.Set();
        _cache.Dispose();
        _goOn.Dispose();
        _directory.Dispose();
    }

    private string Manifest => Path.Combine(StampCache.FolderIn(_directory.Path), "manifest");

    private Task GiveUpAsync() => _cache.GiveUpCheckpointAsync(_goOn.Wait);
}
