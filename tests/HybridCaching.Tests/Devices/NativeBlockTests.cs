using HybridCaching.Devices;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Devices;

/// <summary>Huge pages take what they cover as soon as one byte of it is touched: no part may have them that is not in use.</summary>
public sealed unsafe class NativeBlockTests
{
    private const int Bytes = 8 << 20;
    private const int UsedBytes = (1 << 20) + 4096;

    [Fact]
    public void Use_FirstPart_NothingBehindItIsTaken() => Assert.Equal(UsedBytes, ResidentIn(BlockUsedInPart()));

    [Fact]
    public void Use_AllAfterAPart_AllCanBeTaken()
    {
        var block = BlockUsedInPart();
        block.Use(0, Bytes);
        Touch(block, Bytes);
        Assert.Equal(Bytes, ResidentIn(block));
    }

    [Fact]
    public void DiscardFrom_WhatIsLeftIsWrittenAgain_NothingBehindItIsTaken()
    {
        var block = new NativeBlock(Bytes, isCleared: true);
        block.Discard(0, Bytes);
        block.Use(0, Bytes);
        block.DiscardFrom(UsedBytes);
        Touch(block, UsedBytes);
        Assert.Equal(UsedBytes, ResidentIn(block));
    }

    private static NativeBlock BlockUsedInPart()
    {
        var block = new NativeBlock(Bytes, isCleared: false);
        block.Use(0, UsedBytes);
        Touch(block, UsedBytes);
        return block;
    }

    private static void Touch(NativeBlock block, int bytes)
    {
        for (int at = 0; at < bytes; at += 4096) block.Start[at] = 1;
    }

    private static long ResidentIn(NativeBlock block)
    {
        long resident = ResidentMemory.In(block.Start, Bytes);
        GC.KeepAlive(block);
        return resident;
    }
}
