using System.Runtime.CompilerServices;
using HybridCaching.Records;

namespace HybridCaching.Tests.Records;

public sealed class ChunkListTests
{
    [Fact]
    public void Bytes_AreThoseOfTheStructure() => Assert.Equal(ChunkList.Bytes, Unsafe.SizeOf<ChunkList>());

    [Theory]
    [InlineData(1000, 300, 0)]
    [InlineData(1000, 300, 100)]
    [InlineData(1000, 300, 300)]
    [InlineData(1000, 300, 700)]
    [InlineData(1000, 300, 1000)]
    [InlineData(1000, 300, 5000)]
    [InlineData(900, 300, 0)]
    [InlineData(1, 300, 299)]
    public void Range_AllPieces_CoverTheValueWithoutGaps(int length, int chunkBytes, int headBytes)
    {
        var list = new ChunkList(1, length, chunkBytes, headBytes);
        int end = 0;
        for (int i = 0; i < list.Count; i++)
        {
            var range = list.Range(i);
            Assert.Equal(end, range.Offset);
            Assert.InRange(range.Length, 1, chunkBytes);
            end += range.Length;
        }

        Assert.Equal(length, end);
    }

    [Fact]
    public void Range_HeadEndsWithinAPiece_AnotherPieceBeginsThere() => Assert.Equal((400, 300), new ChunkList(1, 1000, 300, 400).Range(2));

    [Fact]
    public void TryParse_HeadBelowZero_IsNoList()
    {
        var list = new ChunkList(1, 1000, 300, -1);

        Assert.False(ChunkList.TryParse(System.Runtime.InteropServices.MemoryMarshal.AsBytes(new ReadOnlySpan<ChunkList>(in list)), out _));
    }
}
