using System.Diagnostics;
using HybridCaching.Configuration;
using HybridCaching.Devices;
using HybridCaching.Tests.Support;
using Microsoft.Win32.SafeHandles;

namespace HybridCaching.Tests.Devices;

/// <summary>The kernel's queues, on real files. Needs a file system that can read past the page cache.</summary>
public sealed class AioQueueTests : IDisposable
{
    private const int Block = MemoryPlan.BlockBytes;
    private const int Blocks = 16;
    private const int Rest = 512;
    private const int Depth = 4;

    private readonly TestDirectory _directory = new();
    private readonly AioQueue _queue;
    private readonly SafeFileHandle _file;

    public AioQueueTests()
    {
        byte[] bytes = new byte[(Blocks * Block) + Rest];
        for (int i = 0; i <= Blocks; i++) bytes.AsSpan(i * Block, Math.Min(Block, bytes.Length - (i * Block))).Fill((byte)(i + 1));
        FlushedFile.Write(_directory.Combine("file"), bytes);
        _queue = AioQueue.TryCreate(Depth) ?? throw Skipped("the kernel's AIO");
        _file = DirectFile.TryOpen(_directory.Combine("file")) ?? throw Skipped("a file system that can read past the page cache");
    }

    public void Dispose()
    {
        _queue?.Destroy();
        _file?.Dispose();
        _directory.Dispose();
    }

    [Fact]
    public void Take_SeveralHandedIn_GivesEachOnce()
    {
        var reads = Enumerable.Range(0, Depth).Select(ReadOf).ToList();
        for (int slot = 0; slot < Depth; slot++) Assert.True(_queue.TrySubmit(slot, reads[slot]));

        var slots = new List<int>();
        while (slots.Count < Depth) slots.AddRange(Take(Depth).Select(result => (int)result.Slot));

        Assert.Equal(Enumerable.Range(0, Depth), slots.Order());
        Assert.All(reads, (read, i) => Assert.Equal(-1, read.Bytes.IndexOfAnyExcept((byte)(i + 1))));
        Assert.Equal(0, _queue.Take(new ReadResult[1], TimeSpan.Zero));
    }

    [Fact]
    public void Submit_Several_GivesEachOnce()
    {
        var reads = Enumerable.Range(0, Depth).Select(ReadOf).ToArray();

        Assert.Equal(Depth, _queue.Submit([3, 1, 0, 2], reads));

        var slots = new List<int>();
        while (slots.Count < Depth) slots.AddRange(Take(Depth).Select(result => (int)result.Slot));
        Assert.Equal(Enumerable.Range(0, Depth), slots.Order());
        Assert.All(reads, (read, i) => Assert.Equal(-1, read.Bytes.IndexOfAnyExcept((byte)(i + 1))));
    }

    [Fact]
    public void Submit_OneOfAClosedFile_TakesThoseBeforeIt()
    {
        var reads = Enumerable.Range(0, Depth).Select(ReadOf).ToArray();
        using (var closed = DirectFile.TryOpen(_directory.Combine("file"))!) reads[2].File = closed;

        Assert.Equal(2, _queue.Submit([0, 1, 2, 3], reads));

        var slots = new List<int>();
        while (slots.Count < 2) slots.AddRange(Take(Depth).Select(result => (int)result.Slot));
        Assert.Equal([0, 1], slots.Order());
        Assert.Equal(0, _queue.Take(new ReadResult[1], TimeSpan.Zero));
    }

    [Fact]
    public void Take_SameSlotAgainAndAgain_EachReadIsTheOneAskedFor()
    {
        for (int i = 0; i < 4 * Blocks; i++)
        {
            var read = ReadOf(i % Blocks);
            Assert.True(_queue.TrySubmit(0, read));

            Assert.Equal(Block, Take(1).Single().Bytes);
            Assert.Equal(-1, read.Bytes.IndexOfAnyExcept((byte)((i % Blocks) + 1)));
        }
    }

    [Fact]
    public void Take_BlockThatIsNotAllThere_SaysHowMuchIs()
    {
        Assert.True(_queue.TrySubmit(0, ReadOf(Blocks)));

        Assert.Equal(Rest, Take(1).Single().Bytes);
    }

    [Fact]
    public void Take_BeyondTheEnd_SaysNothingIs()
    {
        Assert.True(_queue.TrySubmit(0, ReadOf(Blocks + 1)));

        Assert.Equal(0, Take(1).Single().Bytes);
    }

    [Fact]
    public void Take_NothingHandedIn_EndsWithTheTime()
    {
        var timeout = TimeSpan.FromMilliseconds(20);
        long start = Stopwatch.GetTimestamp();

        Assert.Equal(0, _queue.Take(new ReadResult[1], timeout));
        Assert.InRange(Stopwatch.GetElapsedTime(start), timeout, TimeSpan.MaxValue);
    }

    [Fact]
    public void TrySubmit_ClosedFile_IsRefused()
    {
        _file.Dispose();

        Assert.False(_queue.TrySubmit(0, ReadOf(0)));
    }

    private List<ReadResult> Take(int most)
    {
        var results = new ReadResult[most];
        int count = _queue.Take(results, Timeout.InfiniteTimeSpan);
        return [.. results.Take(count)];
    }

    private RecordRead ReadOf(int block) => BlockRead.Of(_file, block);

    private Exception Skipped(string what)
    {
        Dispose();
        Assert.Skip($"This needs {what}.");
        return new InvalidOperationException();
    }
}
