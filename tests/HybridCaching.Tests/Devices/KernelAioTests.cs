using System.Collections.Concurrent;
using HybridCaching.Configuration;
using HybridCaching.Devices;
using HybridCaching.Tests.Support;
using Microsoft.Win32.SafeHandles;

namespace HybridCaching.Tests.Devices;

/// <summary>Reads that the kernel carries out by itself. Needs a file system that can read past the page cache.</summary>
public sealed class KernelAioTests : IDisposable
{
    private const int Block = MemoryPlan.BlockBytes;
    private const int Blocks = 256;
    private const int Depth = 8;

    private readonly TestDirectory _directory = new();
    private readonly ConcurrentQueue<(RecordRead Read, long Result)> _ended = new();
    private readonly KernelAio _aio;
    private readonly SafeFileHandle _file;

    public KernelAioTests()
    {
        byte[] bytes = new byte[Blocks * Block];
        for (int i = 0; i < Blocks; i++) bytes.AsSpan(i * Block, Block).Fill((byte)i);
        File.WriteAllBytes(_directory.Combine("file"), bytes);
        _aio = KernelAio.TryCreate("test-reap", Depth, (read, result) => _ended.Enqueue((read, result))) ?? throw Skipped("the kernel's AIO");
        _file = DirectFile.TryOpen(_directory.Combine("file")) ?? throw Skipped("a file system that can read past the page cache");
    }

    public void Dispose()
    {
        _aio?.Dispose();
        _file?.Dispose();
        _directory.Dispose();
    }

    [Fact]
    public void TryRead_ManyBlocks_EachIsTheOneAskedFor()
    {
        for (int block = 0; block < Blocks; block++)
        {
            var read = ReadOf(block);
            Until.True(() => _aio.TryRead(_file, read), "there is room for a read");
        }

        Until.True(() => _ended.Count == Blocks, "all reads end");
        Assert.All(_ended, ended =>
        {
            Assert.Equal(Block, ended.Result);
            Assert.Equal(-1, ended.Read.Bytes.IndexOfAnyExcept((byte)(ended.Read.Offset / Block)));
        });
    }

    [Fact]
    public void TryRead_ManyThreads_AllEnd()
    {
        Parallel.For(0, 4, worker =>
        {
            for (int block = worker; block < Blocks; block += 4)
            {
                var read = ReadOf(block);
                Until.True(() => _aio.TryRead(_file, read), "there is room for a read");
            }
        });

        Until.True(() => _ended.Count == Blocks, "all reads end");
        Assert.Equal(Blocks, _ended.Select(ended => ended.Read.Offset).Distinct().Count());
    }

    [Fact]
    public void TryRead_BeyondTheEnd_ReadsNothing()
    {
        Assert.True(_aio.TryRead(_file, ReadOf(Blocks)));

        Until.True(() => !_ended.IsEmpty, "the read ends");
        Assert.Equal(0, _ended.Single().Result);
    }

    [Fact]
    public void TryRead_ClosedFile_IsRefused()
    {
        _file.Dispose();

        Assert.False(_aio.TryRead(_file, ReadOf(0)));
        Assert.False(_aio.IsBusy);
    }

    [Fact]
    public void TryRead_FileForWritingOnly_Fails()
    {
        using var buffered = File.OpenHandle(_directory.Combine("file"), FileMode.Open, FileAccess.Write);
        if (_aio.TryRead(buffered, ReadOf(0))) // opened for writing only
        {
            Until.True(() => !_ended.IsEmpty, "the read ends");
            Assert.True(_ended.Single().Result < 0);
        }

        Assert.False(_aio.IsBusy);
    }

    [Fact]
    public void Dispose_ReadsUnderWay_WaitsForThem()
    {
        int handedIn = 0;
        for (int block = 0; block < Depth; block++)
        {
            if (_aio.TryRead(_file, ReadOf(block))) handedIn++;
        }

        _aio.Dispose();

        Assert.Equal(handedIn, _ended.Count);
    }

    [Fact]
    public void DirectFile_FolderWithALink_IsNotFollowed()
    {
        File.CreateSymbolicLink(_directory.Combine("link"), _directory.Combine("file"));

        Assert.Null(DirectFile.TryOpen(_directory.Combine("link")));
    }

    private static RecordRead ReadOf(int block)
    {
        var read = new RecordRead(Block);
        read.Begin(0, (long)block * Block, new uint[1]);
        return read;
    }

    private Exception Skipped(string what)
    {
        Dispose();
        Assert.Skip($"This needs {what}.");
        return new InvalidOperationException();
    }
}
