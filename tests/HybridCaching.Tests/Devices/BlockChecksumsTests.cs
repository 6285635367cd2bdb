using HybridCaching.Devices;
using HybridCaching.Tests.Concurrency;

namespace HybridCaching.Tests.Devices;

/// <summary>What is known of a block beside what has to be in it.</summary>
public sealed class BlockChecksumsTests
{
    private const int Segment = 3;
    private const int Block = 4096;

    private readonly BlockChecksums _checksums = new(segmentBytes: 64 * Block);
    private readonly byte[] _content = new byte[Block];

    public BlockChecksumsTests() => new Random(1).NextBytes(_content);

    [Fact]
    public void AreWrittenOnce_OneWrite_IsTrue()
    {
        _checksums.Record(Segment, Block, _content);

        Assert.True(IsWrittenOnce);
    }

    [Fact]
    public void AreWrittenOnce_AnotherWriteOfTheBlock_IsFalse()
    {
        _checksums.Record(Segment, Block, new byte[Block]);

        _checksums.Record(Segment, Block, _content);

        Assert.False(IsWrittenOnce);
    }

    /// <summary>Whoever removes gives up a block that he cannot read, whatever those who write it do at that moment.</summary>
    [Fact]
    public void GiveUp_WhileTheBlockIsWritten_CanNotBeReadAfterwards()
    {
        for (int round = 0; round < 2_000; round++)
        {
            int segment = Segment + round;
            _checksums.Record(segment, Block, _content);
            Crew.Run(
                () => _checksums.Record(segment, Block, _content),
                () => _checksums.Forget(segment, Block, Block, mayBeOnDisk: true),
                () => _checksums.GiveUp(segment, Block, Block));
            _checksums.Record(segment, Block, _content);

            Assert.True(BlockChecksums.IsNothing(_checksums.Of(segment, Block, Block)));
            _checksums.Remove(segment);
        }
    }

    /// <summary>The first write was given up, and may still come to the disk.</summary>
    [Fact]
    public void AreWrittenOnce_AfterAWriteThatIsLost_IsFalse()
    {
        _checksums.Forget(Segment, Block, Block, mayBeOnDisk: true);

        _checksums.Record(Segment, Block, _content);

        Assert.False(IsWrittenOnce);
    }

    /// <summary>A block that is written in parts holds again what it held before.</summary>
    [Fact]
    public void Verify_GivenUpAndWrittenAgain_IsNotThere()
    {
        _checksums.Record(Segment, Block, _content);
        _checksums.GiveUp(Segment, Block, Block);
        _checksums.Forget(Segment, Block, Block);

        _checksums.Record(Segment, Block, _content);

        Assert.False(_checksums.Verify(Segment, Block, _content, out int damaged));
        Assert.Equal(0, damaged);
        Assert.True(BlockChecksums.Present(_checksums.Of(Segment, Block, Block)).IsEmpty);
        Assert.False(_checksums.HoldsAny(Segment));
    }

    [Fact]
    public void Verify_GivenUpAndItsSegmentRemoved_IsThereOnceWrittenAnew()
    {
        _checksums.Record(Segment, Block, _content);
        _checksums.GiveUp(Segment, Block, Block);
        _checksums.Remove(Segment);

        _checksums.Record(Segment, Block, _content);

        Assert.True(_checksums.Verify(Segment, Block, _content, out _));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void Verify_HoweverOftenItWasWritten_KnowsTheLastContent(int writes)
    {
        for (int i = 0; i < writes; i++) _checksums.Record(Segment, Block, _content);

        Assert.True(_checksums.Verify(Segment, Block, _content, out int damaged));
        Assert.Equal(0, damaged);
        _content[17] ^= 1;
        Assert.False(_checksums.Verify(Segment, Block, _content, out damaged));
        Assert.Equal(1, damaged);
    }

    /// <summary>The checksums listed would be more than there may be files otherwise, and nothing would be found after a restart.</summary>
    [Fact]
    public void Save_SegmentOfWhichAllIsLost_IsNotListed()
    {
        _checksums.Record(Segment, 0, _content);
        _checksums.Forget(Segment + 1, 0, Block, mayBeOnDisk: true);
        using var saved = new MemoryStream();

        _checksums.Save(saved, [], 64 * Block);

        saved.Position = 0;
        var loaded = new BlockChecksums(segmentBytes: 64 * Block);
        loaded.Load(saved, [], maximumSegments: 1);
        Assert.Equal([Segment], loaded.Segments);
    }

    /// <summary>The file of the index may be shorter than was planned for.</summary>
    [Fact]
    public void Save_WhatIsThere_IsAsLongAsItSaysAndReadBackWithTheSameSum()
    {
        for (int segment = 1; segment <= 3; segment++) _checksums.Record(segment, Block, _content);
        using var saved = new MemoryStream();
        List<uint> written = [], read = [];

        _checksums.Save(saved, written, 32 * Block);

        Assert.Equal(_checksums.SavedBytes(32 * Block), saved.Length);
        saved.Position = 0;
        new BlockChecksums(segmentBytes: 32 * Block).Load(saved, read, maximumSegments: 3);
        Assert.Equal(written, read);
    }

    private bool IsWrittenOnce => BlockChecksums.AreWrittenOnce(BlockChecksums.Present(_checksums.Of(Segment, Block, Block)));
}
