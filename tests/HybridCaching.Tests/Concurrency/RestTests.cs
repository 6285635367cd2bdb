using HybridCaching.Devices;
using HybridCaching.Diagnostics;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Concurrency;

/// <summary>A cache that rests with a checkpoint: what ends the rest, what does not, and what a kill would leave.</summary>
public sealed class RestTests : IDisposable
{
    private const int Entries = 1_000;

    private readonly TestDirectory _directory = new();
    private readonly CollectingLoggerFactory _log = new();
    private readonly ManualTimeProvider _housekeeping = new();
    private readonly FasterCache<long, Stamp> _cache;

    public RestTests()
    {
        _cache = StampCache.Open(_directory.Path, _log, housekeeping: _housekeeping);
        _cache.Fill(0, Entries, version: 1);
    }

    /// <summary>All that needs the log.</summary>
    public static TheoryData<string> Members => [.. Calls.Keys];

    private static Dictionary<string, Action<FasterCache<long, Stamp>>> Calls { get; } = new()
    {
        ["Set"] = static c => c.Set(1, Stamp.Of(1, 1)),
        ["SetAsync"] = static c => c.SetAsync(1, Stamp.Of(1, 1)).AsTask().GetAwaiter().GetResult(),
        ["TryAdd"] = static c => c.TryAdd(1, Stamp.Of(1, 1)),
        ["Remove"] = static c => c.Remove(1),
        ["Touch"] = static c => c.Touch(1, TimeSpan.FromHours(1)),
        ["Clear"] = static c => c.Clear(),
        ["GetOrAdd"] = static c => c.GetOrAdd(-1, static k => Stamp.Of(k, 1)),
        ["AddOrUpdate"] = static c => c.AddOrUpdate(1, static k => Stamp.Of(k, 1), static (k, _) => Stamp.Of(k, 2)),
        ["SetMany"] = static c => c.SetMany([1], [Stamp.Of(1, 1)]),
        ["TryGet"] = static c => c.TryGet(-1, out _),
        ["GetAsync"] = static c => c.GetAsync(-1).AsTask().GetAwaiter().GetResult(),
        ["ContainsKey"] = static c => c.ContainsKey(1),
        ["GetMany"] = static c => c.GetMany([-1], new Stamp[1], new bool[1]),
        ["FlushAsync"] = static c => c.FlushAsync().AsTask().GetAwaiter().GetResult(),
    };

    private string Manifest => Path.Combine(StampCache.FolderIn(_directory.Path), "manifest");

    public void Dispose()
    {
        _cache.Dispose();
        _directory.Dispose();
    }

    [Fact]
    public void CheckpointAsync_Quiet_LeavesAValidCheckpoint()
    {
        Rest();

        Assert.Equal(Entries, HitsInCopy(version: 1));
    }

    [Theory]
    [MemberData(nameof(Members))]
    public void Member_WhileResting_EndsTheRest(string member)
    {
        Rest();
        Crew.MustEnd(member, () => Calls[member](_cache));

        Assert.False(File.Exists(Manifest));
    }

    [Fact]
    public void Statistics_WhileResting_DoNotEndTheRest()
    {
        Rest();
        Assert.Equal(Entries, _cache.EstimatedCount);
        Assert.Equal(Entries, _cache.GetStatistics().Writes);
        Assert.InRange(_cache.GetMemoryUsage().Total, 1, _cache.GetMemoryUsage().Budget);

        Assert.True(File.Exists(Manifest));
    }

    [Fact]
    public void TryGet_HotCopyWhileResting_DoesNotEndTheRest()
    {
        for (int i = 0; i < 64; i++) _cache.TryGet(1, out _);
        Rest();

        Assert.True(_cache.TryGet(1, out _));
        Assert.True(File.Exists(Manifest));
    }

    [Fact]
    public void Housekeeping_WhileResting_DoesNotEndTheRest()
    {
        Rest();
        int ticks = 0;
        _housekeeping.TickUntil(() => ++ticks > 100, "100 ticks");

        Assert.True(File.Exists(Manifest));
        Assert.Equal(Entries, HitsInCopy(version: 1));
    }

    [Fact]
    public void CheckpointAsync_Resting_IsStillTrue()
    {
        Rest();
        string manifest = File.ReadAllText(Manifest);
        Rest();

        Assert.Equal(manifest, File.ReadAllText(Manifest));
    }

    [Fact]
    public void CheckpointAsync_AgainAndAgain_EachHoldsTheNewest()
    {
        for (int version = 2; version < 8; version++)
        {
            _cache.Fill(0, Entries, version);
            Rest();
            Assert.Equal(Entries, HitsInCopy(version));
        }
    }

    [Fact]
    public void CheckpointAsync_AgainAfterRemovals_HoldsThem()
    {
        Rest();
        for (long key = 0; key < Entries; key += 2) _cache.Remove(key);
        Rest();

        Assert.Equal(Entries / 2, HitsInCopy(version: 1));
    }

    [Fact]
    public void CheckpointAsync_AgainAfterClear_IsEmpty()
    {
        Rest();
        _cache.Clear();
        Rest();

        Assert.Equal(0, HitsInCopy(version: 1));
    }

    [Fact]
    public void CheckpointAsync_MoreThanMemory_HoldsAll()
    {
        _cache.Fill(0, 60_000, version: 2);
        Rest();
        int inCopy = HitsInCopy(version: 2, keys: 60_000);
        _cache.Set(-1, Stamp.Of(-1, 1));

        Assert.Equal(_cache.CountHits(0, 60_000, version: 2), inCopy);
        Assert.InRange(inCopy, 50_000, 60_000);
    }

    [Fact]
    public void CheckpointAsync_Disposed_IsFalse()
    {
        _cache.Dispose();

        Assert.False(_cache.Tiers.CheckpointAsync(CancellationToken.None).Result());
    }

    [Fact]
    public void CheckpointAsync_InMemoryOnly_IsFalse()
    {
        using var cache = new FasterCache<long, Stamp>(new FasterCacheOptions { MemoryBudget = "12MB" });

        Assert.False(cache.Tiers.CheckpointAsync(CancellationToken.None).Result());
    }

    [Fact]
    public void CheckpointAsync_FolderOfAnother_IsFalse()
    {
        using var second = StampCache.Open(_directory.Path);

        Assert.False(second.Tiers.CheckpointAsync(CancellationToken.None).Result());
    }

    [Fact]
    public void CheckpointAsync_AfterTakeOver_IsTaken()
    {
        using var second = StampCache.Open(_directory.Path, housekeeping: _housekeeping);
        second.Fill(0, Entries, version: 2);
        _cache.Dispose();
        _housekeeping.TickUntil(() => second.GetStatistics().DiskUnavailableReason is null, "the folder is taken over");

        Assert.True(second.Tiers.CheckpointAsync(CancellationToken.None).Result());
        Assert.Equal(Entries, HitsInCopy(version: 2));
    }

    [Fact]
    public void CheckpointAsync_WritesFail_IsFalseAndTheCacheWorks()
    {
        _cache.Set(-1, Stamp.Of(-1, 1));
        using (FolderAttribute.Immutable(StampCache.FolderIn(_directory.Path))) Assert.False(_cache.Tiers.CheckpointAsync(CancellationToken.None).Result());

        Assert.Single(_log.Entries, e => e.Id.Name == nameof(Log.NoCheckpoint));
        Found.All(Entries, _cache.CountHits(0, Entries, version: 1));
        _cache.Set(-1, Stamp.Of(-1, 2)); // the end of the log was lost, and a start refuses a checkpoint without
        Rest();
    }

    /// <summary>They may be longer than there is room for beside what is stored from then on.</summary>
    [Fact]
    public void Set_WhileResting_FilesOfTheCheckpointGo()
    {
        string[] files = [.. Files()];
        Rest();
        string[] ofCheckpoint = [.. Files().Except(files)];
        Assert.NotEmpty(ofCheckpoint);

        _cache.Set(1, Stamp.Of(1, 2));

        Until.True(() => !Files().Intersect(ofCheckpoint).Any(static f => !Path.GetFileName(f).StartsWith("log-", StringComparison.Ordinal)), "the files are gone");

        IEnumerable<string> Files() => Directory.EnumerateFiles(StampCache.FolderIn(_directory.Path));
    }

    [Fact]
    public void Dispose_Resting_KeepsTheCheckpoint()
    {
        Rest();
        string manifest = File.ReadAllText(Manifest);
        _cache.Dispose();

        Assert.Equal(manifest, File.ReadAllText(Manifest));
        using var again = StampCache.Open(_directory.Path);
        Found.All(Entries, again.CountHits(0, Entries, version: 1));
    }

    /// <summary>A caller who waits for a session gives a disk that hangs no more time than it has itself.</summary>
    [Fact]
    public void Set_CheckpointHangs_EndsAfterTheDiskTimeout()
    {
        using var directory = new TestDirectory();
        using var cache = StampCache.Open(directory.Path, change: o => o.DiskTimeout = TimeSpan.FromMilliseconds(200));
        cache.Fill(0, Entries, version: 1);
        using var gate = new DiskGate(cache.Tiers.Device!, IoKind.Write);
        gate.Close();
        var checkpoint = cache.Tiers.CheckpointAsync(CancellationToken.None);
        gate.AwaitHeld();
        Crew.MustEnd("Set", () => cache.Set(0, Stamp.Of(0, 2)));

        Assert.False(checkpoint.Result());
        Assert.True(gate.IsClosed);
        Assert.True(cache.TryGet(0, out var value) && value == Stamp.Of(0, 2));
    }

    [Fact]
    public void GetAsync_CheckpointHangs_BlocksNoThreadAndEnds()
    {
        using var directory = new TestDirectory();
        using var cache = StampCache.Open(directory.Path, change: o => o.DiskTimeout = TimeSpan.FromMilliseconds(200));
        cache.Fill(0, Entries, version: 1);
        using var gate = new DiskGate(cache.Tiers.Device!, IoKind.Write);
        gate.Close();
        var checkpoint = cache.Tiers.CheckpointAsync(CancellationToken.None);
        gate.AwaitHeld();
        var reads = Enumerable.Range(0, 100).Select(i => cache.GetAsync(i).AsTask()).ToList();

        Crew.MustEnd("GetAsync", () => Assert.All(reads, read => Assert.NotNull(read.Result())));
        Assert.False(checkpoint.Result());
    }

    [Fact]
    public void GetAsync_CancelledWhileCheckpointHangs_Ends()
    {
        using var gate = new DiskGate(_cache.Tiers.Device!, IoKind.Write);
        gate.Close();
        var checkpoint = _cache.Tiers.CheckpointAsync(CancellationToken.None);
        gate.AwaitHeld();
        using var cancel = new CancellationTokenSource();
        var read = _cache.GetAsync(-1, cancel.Token).AsTask();
        cancel.Cancel();

        Crew.MustEnd("GetAsync", () => Assert.ThrowsAny<OperationCanceledException>(() => read.Result()));
        Assert.True(gate.IsClosed);
        gate.Open();
        checkpoint.Result();
    }

    private void Rest() => Assert.True(_cache.Tiers.CheckpointAsync(CancellationToken.None).Result(), "there is a checkpoint");

    private int HitsInCopy(long version, int keys = Entries)
    {
        using var copy = new TestDirectory();
        StampCache.Copy(StampCache.FolderIn(_directory.Path), StampCache.FolderIn(copy.Path));
        using var again = StampCache.Open(copy.Path);
        return again.CountHits(0, keys, version);
    }
}
