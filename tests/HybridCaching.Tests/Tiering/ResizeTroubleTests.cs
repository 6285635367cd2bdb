using System.Diagnostics;
using HybridCaching.Devices;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Configuration;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Tiering;

/// <summary>Budgets change while other things happen: a checkpoint, a Clear, the end, another change, a disk that hangs.</summary>
public sealed class ResizeTroubleTests : IDisposable
{
    private const int Entries = 60_000;

    /// <summary>Pages, moving and files may each take the disk timeout, and threads on a busy machine their time.</summary>
    private static readonly TimeSpan DiskTimeout = TimeSpan.FromMilliseconds(500);
    private static readonly TimeSpan Longest = TimeSpan.FromSeconds(10);

    private readonly TestDirectory _directory = new();
    private FasterCache<long, Payload> _cache;
    private DiskGate? _gate;

    public ResizeTroubleTests()
    {
        _cache = Open(TimeProvider.System);
        for (long key = 0; key < Entries; key++) _cache.Set(key, Payload.Of(key));
    }

    private string Folder => StampCache.FolderIn(_directory.Path);

    private Thread GivenUp => PrivateField.Of<Thread>(_cache.Tiers, "_givenUp");

    public void Dispose()
    {
        _gate?.Dispose();
        _cache.Dispose();
        Hosting.App.AwaitFree(_directory.Path, StampCache.Name);
        _directory.Dispose();
    }

    [Fact]
    public void Resize_WritesHang_EndsWithinTheBudget()
    {
        Close(IoKind.Write);
        for (long key = 0; key < 2_000; key++) _cache.Set(key, Payload.Of(key));

        ResizeInTime("24MB", "64MB");

        Assert.InRange(_cache.GetMemoryUsage().Total, 0, 24 << 20);
        Assert.Equal(24 << 20, _cache.GetMemoryUsage().Budget);
    }

    /// <summary>What others write is no sign that files go.</summary>
    [Fact]
    public void Resize_FilesCannotBeDeletedWhileOthersWrite_Ends()
    {
        _cache.Tiers.Device!.Fault = static request => request.Kind == IoKind.Remove;
        using var end = new CancellationTokenSource();
        var writer = Crew.Start(() =>
        {
            for (long key = 1L << 32; !end.IsCancellationRequested; key++) _cache.Set(key, Payload.Of(key));
        });
        try
        {
            ResizeInTime("48MB", "20MB");
        }
        finally
        {
            end.Cancel();
            writer.Join();
            _cache.Tiers.Device!.Fault = null;
        }
    }

    [Fact]
    public void Resize_ReadsHang_EndsWithinTheBudget()
    {
        Close(IoKind.Read);

        ResizeInTime("24MB", "20MB");

        Assert.InRange(_cache.GetMemoryUsage().Total, 0, 24 << 20);
        Until.True(() => FolderSize.Of(Folder) <= 20 << 20, "the files are removed"); // at once, unless the machine is too busy to do anything within the timeout
    }

    [Fact]
    public void Resize_RemovalsHang_EndsAndFilesGoLater()
    {
        Close(IoKind.Remove);

        ResizeInTime("48MB", "20MB");
        Assert.Equal(20 << 20, _cache.GetStatistics().DiskBudget);
        Assert.NotEqual(0, _gate!.Held);
        _gate.Open();

        Until.True(() => FolderSize.Of(Folder) <= 20 << 20, "the files are removed");
    }

    /// <summary>The disk gives signs of life, but not that for which it is waited.</summary>
    [Fact]
    public async Task Resize_RemovalsHangWhileOthersRead_Ends()
    {
        Close(IoKind.Remove);
        using var end = new CancellationTokenSource();
        var reads = Task.Run(
            () =>
            {
                for (long key = 0; !end.IsCancellationRequested; key = (key + 1) % Entries) _cache.TryGet(key, out _);
            },
            TestContext.Current.CancellationToken);

        ResizeInTime("24MB", "40MB");

        Assert.NotEqual(0, _gate!.Held);
        _gate.Open();
        await end.CancelAsync();
        await reads;
        Assert.Equal(40 << 20, _cache.GetStatistics().DiskBudget);
    }

    [Fact]
    public void Resize_EveryRequestFails_EndsWithinTheBudget()
    {
        _cache.Tiers.Device!.Fault = static r => r.Kind != IoKind.Remove && r.Length + r.Segment > 0; // but those that test the folder, which would be given up
        for (long key = 0; key < 2_000; key++) _cache.Set(key, Payload.Of(key));

        ResizeInTime("24MB", "20MB");

        Assert.InRange(_cache.GetMemoryUsage().Total, 0, 24 << 20);
        Until.True(() => FolderSize.Of(Folder) <= 20 << 20, "the files are removed"); // at once, unless the machine is too busy to do anything within the timeout
    }

    [Fact]
    public async Task Resize_CheckpointHangs_Ends()
    {
        var checkpoint = BeginHangingCheckpoint();

        ResizeInTime("24MB", "20MB");

        _gate!.Open();
        await checkpoint.WaitAsync(Until.Deadline, TestContext.Current.CancellationToken);
        Assert.False(File.Exists(Path.Combine(Folder, "manifest")));
    }

    [Fact]
    public async Task Resize_AgainWhileACheckpointHangs_BeginsNoOtherThread()
    {
        var checkpoint = BeginHangingCheckpoint();

        ResizeInTime("56MB", "64MB");
        var begun = GivenUp;
        ResizeInTime("64MB", "64MB");

        Assert.True(begun.IsAlive);
        Assert.Same(begun, GivenUp);
        _gate!.Open();
        await checkpoint.WaitAsync(Until.Deadline, TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Resize_WhileResting_EndsTheRest()
    {
        Assert.True(await _cache.Tiers.CheckpointAsync(TestContext.Current.CancellationToken));

        ResizeInTime("24MB", "20MB");

        Assert.False(File.Exists(Path.Combine(Folder, "manifest")));
    }

    /// <summary>Each of them may make the other wait; none may fail, nothing that was cleared may come back.</summary>
    [Fact]
    public void Resize_CheckpointsAndClears_AllEnd()
    {
        var duration = Duration.Of(2);
        Crew.MustEnd("all of them", () => Crew.Run(
            () =>
            {
                for (int i = 0; !duration.IsOver; i++) _cache.Resize(i % 2 == 0 ? "24MB" : "60MB", i % 2 == 0 ? "20MB" : "64MB");
            },
            () =>
            {
                while (!duration.IsOver) _cache.Tiers.CheckpointAsync(CancellationToken.None).GetAwaiter().GetResult();
            },
            () =>
            {
                for (long first = 1L << 40; !duration.IsOver; first += 100)
                {
                    for (long key = first; key < first + 100; key++) _cache.Set(key, Payload.Of(key));
                    _cache.Clear();
                    for (long key = first; key < first + 100; key++) Assert.False(_cache.TryGet(key, out _));
                }
            }));
    }

    [Fact]
    public void Resize_SeveralAtOnce_TheLastOneHolds()
    {
        string[] budgets = ["20MB", "30MB", "40MB", "50MB"];
        Crew.Run(budgets.Length, me =>
        {
            for (int i = 0; i < 5; i++) _cache.Resize(budgets[me], budgets[me]);
        });

        Assert.Contains(_cache.GetMemoryUsage().Budget, budgets.Select(b => ((ByteSize)b).Bytes));
        Assert.Equal(_cache.GetMemoryUsage().Budget, _cache.GetStatistics().DiskBudget);
        Assert.InRange(_cache.GetMemoryUsage().Total, 0, _cache.GetMemoryUsage().Budget);
        Until.True(() => FolderSize.Of(Folder) <= _cache.GetStatistics().DiskBudget, "the files that are too many are gone"); // a disk that does not answer for so long is not waited for
    }

    [Fact]
    public void Dispose_WhileResizing_BothEnd() => Crew.MustEnd("both", () => Crew.Run(
        () =>
        {
            try
            {
                for (int i = 0; i < 1000; i++) _cache.Resize(i % 2 == 0 ? "24MB" : "60MB", "64MB");
            }
            catch (ObjectDisposedException)
            {
                // Sooner or later.
            }
        },
        _cache.Dispose));

    private void Close(IoKind kind)
    {
        _gate = new DiskGate(_cache.Tiers.Device!, kind);
        _gate.Close();
    }

    /// <summary>Nobody keeps house: a write that hangs for two seconds would be given up, and then nothing hangs any more.</summary>
    private Task<bool> BeginHangingCheckpoint()
    {
        _cache.Dispose();
        Hosting.App.AwaitFree(_directory.Path, StampCache.Name);
        _cache = Open(new ManualTimeProvider());
        Close(IoKind.Write);
        for (long key = 0; key < 100; key++) _cache.Set(key, Payload.Of(key));
        var checkpoint = _cache.Tiers.CheckpointAsync(CancellationToken.None);
        _gate!.AwaitHeld();
        return checkpoint;
    }

    private FasterCache<long, Payload> Open(TimeProvider housekeeping) =>
        new(new FasterCacheOptions { Directory = _directory.Path, Name = StampCache.Name, MemoryBudget = "48MB", DiskBudget = "64MB", DiskTimeout = DiskTimeout }, housekeeping);

    private void ResizeInTime(string memory, string disk)
    {
        long start = Stopwatch.GetTimestamp();
        Crew.MustEnd("Resize", () => _cache.Resize(memory, disk));
        Assert.InRange(Stopwatch.GetElapsedTime(start), TimeSpan.Zero, Longest);
    }
}
