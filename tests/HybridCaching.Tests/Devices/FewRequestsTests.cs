using HybridCaching.Configuration;
using HybridCaching.Devices;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;
using Microsoft.Win32.SafeHandles;

namespace HybridCaching.Tests.Devices;

/// <summary>A disk that hangs, and takes fewer requests at once than there are readers: the next one would wait in the kernel, before anybody counts his time. It lies on another disk, which gives out a byte a second.</summary>
public abstract class FewRequestsTests : IDisposable
{
    private const int Block = MemoryPlan.BlockBytes;
    private const int Requests = 8;
    private const int Threads = 1;
    private const int Room = (Requests / 2) - Threads;
    private const int Readers = 16;

    private static readonly TimeSpan Moment = TimeSpan.FromMilliseconds(50);

    private readonly LoopDisk _disk;
    private readonly KernelReads _reads;
    private readonly SafeFileHandle _file;
    private int _ended;

    protected FewRequestsTests(bool usesIoUring)
    {
        if (usesIoUring) KernelReadsTests.NeedIoUring();
        _disk = new LoopDisk("xfs", isStacked: true);
        string path = Path.Combine(_disk.Path, "file");
        File.WriteAllBytes(path, new byte[Readers * Block]);
        _disk.Sync();
        _disk.LimitRequests(Requests);
        _file = DirectFile.TryOpen(path)!;
        _reads = KernelReads.TryCreate("test-reap", Readers, usesIoUring, (_, _) => Interlocked.Increment(ref _ended))!;
        _reads.Expect(BlockDevice.RequestsAtOnce(_disk.Path), Threads);
        _disk.HoldReads();
    }

    public void Dispose()
    {
        _disk.AllowReads();
        _reads.Dispose();
        _file.Dispose();
        _disk.Dispose();
        GC.SuppressFinalize(this);
    }

    [Fact]
    public void TryReadAndWait_MoreThanTheDiskTakes_NobodyWaitsForARequest()
    {
        Crew.Run(Readers, me => _reads.TryReadAndWait(ReadOf(me), Moment, out _), Until.Deadline);

        Assert.True(_reads.IsBusy);
    }

    [Fact]
    public void Post_MoreThanTheDiskTakes_TakesHalfOfTheRequestsButThoseOfThreads() => Assert.Equal(Room, Posted());

    [Fact]
    public void Post_ReadsHaveEnded_TakesOthers()
    {
        Posted();
        _disk.AllowReads();
        Until.True(() => !_reads.IsBusy, "the reads end");

        Assert.Equal(Room, Posted());
    }

    /// <summary>How many of all reads are taken; by another thread, which may have to be left behind.</summary>
    private int Posted()
    {
        int taken = 0;
        Crew.MustEnd("Post", () => taken = _reads.Post([.. Enumerable.Range(0, Readers).Select(ReadOf)]));
        return taken;
    }

    private RecordRead ReadOf(int block) => BlockRead.Of(_file, block);

    public sealed class ByAio() : FewRequestsTests(usesIoUring: false);

    public sealed class ByIoUring() : FewRequestsTests(usesIoUring: true);
}
