using HybridCaching.Devices;
using HybridCaching.Tests.Concurrency;

namespace HybridCaching.Tests.Devices;

public sealed class SegmentFilesTests : IDisposable
{
    private static readonly byte[] Block = new byte[DeviceUnderTest.Block];

    private readonly TestDirectory _directory = new();
    private readonly CacheFolder _folder;

    public SegmentFilesTests() => _folder = CacheFolder.Open(_directory.Combine("cache"));

    [Fact]
    public void Write_OneTooMany_IsRefused()
    {
        using var files = Fill(segments: 3);

        Assert.Throws<IOException>(() => files.Write(4, 0, Block));
    }

    /// <summary>A log whose segments are small gets there within days.</summary>
    [Theory]
    [InlineData(99_999_999)]
    [InlineData(100_000_000)]
    [InlineData(SegmentFiles.FirstOfMain - 1)]
    [InlineData(SegmentFiles.FirstOfMain + 100_000_000)]
    public void New_SegmentThereOfAnyNumber_KnowsIt(int segment)
    {
        using (var files = new SegmentFiles(_folder, "log", 3, mainPrefix: "main")) files.Write(segment, 0, Block);

        using var again = new SegmentFiles(_folder, "log", 3, mainPrefix: "main");

        Assert.Equal((1, Block.Length), (again.Count, again.TotalLength));
    }

    [Theory]
    [InlineData("log-0000001")]
    [InlineData("log-000000001")]
    [InlineData("log-1073741824")]
    [InlineData("log-99999999999999999999")]
    public void TryParse_NoNameOfASegment_IsFalse(string name) => Assert.False(SegmentFiles.TryParse(name, "log", out _));

    /// <summary>Their removal is asked for, and nobody has come to it yet.</summary>
    [Fact]
    public void Write_EarlierOnesGivenUpAndStillThere_TakesTheirPlace()
    {
        using var files = Fill(segments: 3);
        files.GiveUpBefore(3);

        files.Write(4, 0, Block);

        Assert.InRange(files.Count, 1, 3);
    }

    /// <summary>Each makes a place, and the other may take it.</summary>
    [Fact]
    public void Write_TwoThreadsAndEarlierOnesGivenUp_NeitherIsRefused()
    {
        using var files = Fill(segments: 4);
        using var round = new Barrier(2, barrier => files.GiveUpBefore((2 * (int)barrier.CurrentPhaseNumber) + 3));
        int refused = 0;

        Crew.Run(2, me =>
        {
            for (int segment = 5 + me; segment <= 1000; segment += 2)
            {
                round.SignalAndWait();
                if (Record.Exception(() => files.Write(segment, 0, Block)) is not null) Interlocked.Increment(ref refused);
            }
        });

        Assert.Equal(0, refused);
    }

    [Fact]
    public void Remove_RemovedAlreadyByAWrite_ChangesNothing()
    {
        using var files = Fill(segments: 3);
        var given = files.GiveUpBefore(3);
        files.Write(4, 0, Block);
        files.Write(5, 0, Block);

        foreach (int segment in given) files.Remove(segment);

        Assert.Equal((3, 3L * Block.Length), (files.Count, files.TotalLength));
    }

    public void Dispose()
    {
        _folder.Dispose();
        _directory.Dispose();
    }

    /// <summary>As many as there may be.</summary>
    private SegmentFiles Fill(int segments)
    {
        var files = new SegmentFiles(_folder, "log", segments);
        for (int segment = 1; segment <= segments; segment++) files.Write(segment, 0, Block);
        return files;
    }
}
