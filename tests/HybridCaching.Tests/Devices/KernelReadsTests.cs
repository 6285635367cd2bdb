using System.Collections.Concurrent;
using HybridCaching.Configuration;
using HybridCaching.Devices;
using HybridCaching.Tests.Support;
using Microsoft.Win32.SafeHandles;

namespace HybridCaching.Tests.Devices;

/// <summary>Reads that the kernel carries out by itself. Needs a file system that can read past the page cache.</summary>
public abstract class KernelReadsTests : IDisposable
{
    private const int Block = MemoryPlan.BlockBytes;
    private const int Blocks = 256;
    private const int Depth = 8;

    private readonly TestDirectory _directory = new();
    private readonly ConcurrentQueue<(RecordRead Read, long Result)> _ended = new();
    private readonly KernelReads _reads;
    private readonly SafeFileHandle _file;

    protected KernelReadsTests(bool usesIoUring)
    {
        if (usesIoUring) NeedIoUring();
        byte[] bytes = new byte[Blocks * Block];
        for (int i = 0; i < Blocks; i++) bytes.AsSpan(i * Block, Block).Fill((byte)i);
        FlushedFile.Write(_directory.Combine("file"), bytes);
        _reads = KernelReads.TryCreate("test-reap", Depth, usesIoUring, (read, result) => _ended.Enqueue((read, result))) ?? throw Skipped("the kernel's AIO");
        _file = DirectFile.TryOpen(_directory.Combine("file")) ?? throw Skipped("a file system that can read past the page cache");
    }

    public void Dispose()
    {
        _reads?.Dispose();
        _file?.Dispose();
        _directory.Dispose();
        GC.SuppressFinalize(this);
    }

    /// <summary>Skips the test where the system does not allow io_uring.</summary>
    internal static void NeedIoUring()
    {
        var ring = IoUring.TryCreate();
        Assert.SkipWhen(ring is null, "This needs io_uring.");
        ring.Destroy();
    }

    [Fact]
    public void Post_ManyBlocks_EachIsTheOneAskedFor()
    {
        for (int block = 0; block < Blocks; block++)
        {
            var read = ReadOf(block);
            Until.True(() => TryPost(read), "there is room for a read");
        }

        Until.True(() => _ended.Count == Blocks, "all reads end");
        Assert.All(_ended, ended =>
        {
            Assert.Equal(Block, ended.Result);
            Assert.Equal(-1, ended.Read.Bytes.IndexOfAnyExcept((byte)(ended.Read.Offset / Block)));
        });
    }

    [Fact]
    public void Post_SeveralTogether_EachIsTheOneAskedFor()
    {
        var all = Enumerable.Range(0, Blocks).Select(ReadOf).ToArray();
        int posted = 0;
        Until.True(() => (posted += _reads.Post(all.AsSpan(posted))) == Blocks, "there is room for all reads");

        Until.True(() => _ended.Count == Blocks, "all reads end");
        Assert.All(all, read => Assert.Equal(-1, read.Bytes.IndexOfAnyExcept((byte)(read.Offset / Block))));
        Assert.Equal(Blocks, _ended.Select(ended => ended.Read).Distinct().Count());
    }

    [Fact]
    public void Post_OneOfAClosedFile_TakesThoseBeforeIt()
    {
        var reads = Enumerable.Range(0, 4).Select(ReadOf).ToArray();
        using (var closed = DirectFile.TryOpen(_directory.Combine("file"))!) reads[2].File = closed;

        Assert.Equal(2, _reads.Post(reads));

        Until.True(() => !_reads.IsBusy, "the reads end");
        Assert.Equal(2, _ended.Count);
    }

    [Fact]
    public void Post_ManyThreads_AllEnd()
    {
        Parallel.For(0, 4, worker =>
        {
            for (int block = worker; block < Blocks; block += 4)
            {
                var read = ReadOf(block);
                Until.True(() => TryPost(read), "there is room for a read");
            }
        });

        Until.True(() => _ended.Count == Blocks, "all reads end");
        Assert.Equal(Blocks, _ended.Select(ended => ended.Read.Offset).Distinct().Count());
    }

    [Fact]
    public void Post_BeyondTheEnd_ReadsNothing()
    {
        Assert.True(TryPost(ReadOf(Blocks)));

        Until.True(() => !_ended.IsEmpty, "the read ends");
        Assert.Equal(0, _ended.Single().Result);
    }

    /// <summary>Before what others have in the page cache can be read from the disk, it has to be written.</summary>
    [Fact]
    public void Post_KernelWouldHaveToWait_SaysSo()
    {
        using (var file = File.OpenHandle(_directory.Combine("file"), FileMode.Open, FileAccess.Write)) RandomAccess.Write(file, new byte[Block], 0);

        Assert.True(TryPost(ReadOf(0)));

        Until.True(() => !_ended.IsEmpty, "the read ends");
        Assert.Equal(ReadResult.WouldWait, _ended.Single().Result);
    }

    [Fact]
    public void Post_ClosedFile_IsRefused()
    {
        _file.Dispose();

        Assert.False(TryPost(ReadOf(0)));
        Assert.False(_reads.IsBusy);
    }

    [Fact]
    public void Post_ThreadsMayTakeHalfOfTheRequests_IsRefused()
    {
        _reads.Expect(Depth, threads: Depth / 2);

        Assert.False(TryPost(ReadOf(0)));
    }

    [Fact]
    public void Post_FileForWritingOnly_Fails()
    {
        using var buffered = File.OpenHandle(_directory.Combine("file"), FileMode.Open, FileAccess.Write);
        if (TryPost(BlockRead.Of(buffered, 0))) // opened for writing only
        {
            Until.True(() => !_ended.IsEmpty, "the read ends");
            Assert.True(_ended.Single().Result < 0);
        }

        Assert.False(_reads.IsBusy);
    }

    [Fact]
    public void Dispose_ReadsUnderWay_WaitsForThem()
    {
        int handedIn = 0;
        for (int block = 0; block < Depth; block++)
        {
            if (TryPost(ReadOf(block))) handedIn++;
        }

        _reads.Dispose();

        Assert.Equal(handedIn, _ended.Count);
    }

    [Fact]
    public void TryReadAndWait_OneReaderManyBlocks_EachIsTheOneAskedFor()
    {
        var read = ReadOf(0);
        for (int block = 0; block < Blocks; block++)
        {
            read.Begin(0, (long)block * Block, new uint[1]);

            Assert.True(_reads.TryReadAndWait(read, Until.Deadline, out bool hasEnded));
            Assert.True(hasEnded);
            Assert.Equal(-1, read.Bytes.IndexOfAnyExcept((byte)block));
        }

        Assert.Equal((Blocks, false), (_ended.Count, _reads.IsBusy));
        Assert.All(_ended, ended => Assert.Equal(Block, ended.Result));
    }

    [Fact]
    public void TryReadAndWait_BesideReadsThatNobodyWaitsFor_AllEnd()
    {
        Parallel.For(0, 4, worker =>
        {
            var own = ReadOf(0);
            for (int block = worker; block < Blocks; block += 4)
            {
                var read = ReadOf(block);
                if (block % 2 == 0) Until.True(() => TryPost(read), "there is room for a read");
                own.Begin(0, (long)block * Block, new uint[1]);
                Assert.True(_reads.TryReadAndWait(own, Until.Deadline, out bool hasEnded) && hasEnded);
                Assert.Equal(-1, own.Bytes.IndexOfAnyExcept((byte)block));
            }
        });

        Until.True(() => _ended.Count == Blocks * 3 / 2, "all reads end");
        Assert.False(_reads.IsBusy);
    }

    [Fact]
    public void TryReadAndWait_ClosedFile_IsRefused()
    {
        _file.Dispose();

        Assert.False(_reads.TryReadAndWait(ReadOf(0), Until.Deadline, out bool hasEnded));
        Assert.Equal((false, false), (hasEnded, _reads.IsBusy));
    }

    [Fact]
    public void TryReadAndWait_FileForWritingOnly_DoesNotHang()
    {
        using var buffered = File.OpenHandle(_directory.Combine("file"), FileMode.Open, FileAccess.Write);
        bool isTaken = _reads.TryReadAndWait(BlockRead.Of(buffered, 0), Until.Deadline, out bool hasEnded);

        Assert.Equal(isTaken, hasEnded);
        Assert.All(_ended, ended => Assert.True(ended.Result < 0));
        Assert.False(_reads.IsBusy);
    }

    [Fact]
    public void TryReadAndWait_Disposed_IsRefused()
    {
        _reads.Dispose();

        Assert.False(_reads.TryReadAndWait(ReadOf(0), Until.Deadline, out _));
        Assert.False(TryPost(ReadOf(0)));
    }

    [Fact]
    public void DirectFile_FolderWithALink_IsNotFollowed()
    {
        File.CreateSymbolicLink(_directory.Combine("link"), _directory.Combine("file"));

        Assert.Equal(40, Assert.Throws<IOException>(() => DirectFile.TryOpen(_directory.Combine("link"))?.Dispose()).HResult); // ELOOP
    }

    private bool TryPost(RecordRead read) => _reads.Post([read]) == 1;

    private RecordRead ReadOf(int block) => BlockRead.Of(_file, block);

    private Exception Skipped(string what)
    {
        Dispose();
        Assert.Skip($"This needs {what}.");
        return new InvalidOperationException();
    }

    public sealed class ByAio() : KernelReadsTests(usesIoUring: false);

    public sealed class ByIoUring() : KernelReadsTests(usesIoUring: true);
}
