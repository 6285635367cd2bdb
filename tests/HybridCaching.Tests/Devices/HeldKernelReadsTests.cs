using HybridCaching.Configuration;
using HybridCaching.Devices;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;
using Microsoft.Win32.SafeHandles;

namespace HybridCaching.Tests.Devices;

/// <summary>Who does not wait any longer for a disk that does not answer leaves his queue behind, and our thread looks after it. The block device gives out a byte a second.</summary>
public abstract class HeldKernelReadsTests : IDisposable
{
    private const int Block = MemoryPlan.BlockBytes;

    private static readonly TimeSpan Moment = TimeSpan.FromMilliseconds(50);

    private readonly LoopDisk _disk;
    private readonly KernelReads _reads;
    private readonly SafeFileHandle _file;
    private int _ended;

    protected HeldKernelReadsTests(bool usesIoUring)
    {
        if (usesIoUring) KernelReadsTests.NeedIoUring();
        _disk = new LoopDisk("xfs");
        string path = Path.Combine(_disk.Path, "file");
        byte[] bytes = new byte[4 * Block];
        for (int i = 0; i < 4; i++) bytes.AsSpan(i * Block, Block).Fill((byte)(i + 1));
        File.WriteAllBytes(path, bytes);
        _disk.Sync();
        _file = DirectFile.TryOpen(path)!;
        _reads = KernelReads.TryCreate("test-reap", 4, usesIoUring, (_, _) => Interlocked.Increment(ref _ended))!;
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
    public void TryReadAndWait_DiskAnswersTooLate_IsLeftAndEndsWhenItDoes()
    {
        var read = ReadOf(1);

        Assert.True(_reads.TryReadAndWait(read, Moment, out bool hasEnded));
        Assert.Equal((false, 0, true), (hasEnded, Volatile.Read(ref _ended), _reads.IsBusy));

        _disk.AllowReads();
        Until.True(() => Volatile.Read(ref _ended) == 1, "the read ends");
        Assert.Equal(-1, read.Bytes.IndexOfAnyExcept((byte)2));
        Assert.False(_reads.IsBusy);
    }

    [Fact]
    public void TryReadAndWait_AfterItsQueueWasLeft_IsAnswered()
    {
        var read = ReadOf(1);
        _reads.TryReadAndWait(read, Moment, out _);
        _disk.AllowReads();
        Until.True(() => Volatile.Read(ref _ended) == 1, "the read ends");
        read.Begin(0, 2 * Block, new uint[1]);

        Assert.True(_reads.TryReadAndWait(read, Until.Deadline, out bool hasEnded));
        Assert.Equal((true, 2), (hasEnded, Volatile.Read(ref _ended)));
        Assert.Equal(-1, read.Bytes.IndexOfAnyExcept((byte)3));
    }

    [Fact]
    public void TryReadAndWait_OthersWereLeft_EndsAllTheSame()
    {
        var left = Enumerable.Range(0, 3).Select(ReadOf).ToList();
        left.ForEach(read => _reads.TryReadAndWait(read, Moment, out _));
        var late = ReadOf(3);
        bool hasEnded = false;
        var waiter = Crew.Start(() => _reads.TryReadAndWait(late, Until.Deadline, out hasEnded));
        Until.True(() => _reads.IsBusy, "reads are under way");

        _disk.AllowReads();
        waiter.Join();
        Until.True(() => Volatile.Read(ref _ended) == 4, "all reads end");
        Assert.True(hasEnded);
    }

    [Fact]
    public void TryReadAndWait_ThreadThatLeftHasEnded_EndsAllTheSame()
    {
        var read = ReadOf(1);
        Crew.Start(() => _reads.TryReadAndWait(read, Moment, out _)).Join();

        _disk.AllowReads();
        Until.True(() => Volatile.Read(ref _ended) == 1, "the read ends");
        Assert.Equal(-1, read.Bytes.IndexOfAnyExcept((byte)2));
    }

    [Fact]
    public void Dispose_QueueWasLeft_WaitsForItsRead()
    {
        _reads.TryReadAndWait(ReadOf(1), Moment, out _);
        var disposer = Crew.Start(_reads.Dispose);
        Assert.False(disposer.Join(Moment));

        _disk.AllowReads();
        disposer.Join();
        Assert.Equal(1, Volatile.Read(ref _ended));
    }

    private RecordRead ReadOf(int block) => BlockRead.Of(_file, block);

    public sealed class ByAio() : HeldKernelReadsTests(usesIoUring: false);

    public sealed class ByIoUring() : HeldKernelReadsTests(usesIoUring: true);
}
