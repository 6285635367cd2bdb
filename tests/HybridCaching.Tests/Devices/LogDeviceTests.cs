using HybridCaching.Devices;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;
using static HybridCaching.Tests.Devices.DeviceUnderTest;

namespace HybridCaching.Tests.Devices;

public sealed class LogDeviceTests
{
    [Fact]
    public void Read_Written_IsTheSame()
    {
        using var test = new DeviceUnderTest();
        byte[] bytes = Pattern(3, seed: 1);

        test.Write(1, 2, bytes);

        Assert.Equal(bytes, test.Read(1, 2, 3));
    }

    [Fact]
    public void Write_Succeeding_ReportsItsLength()
    {
        using var test = new DeviceUnderTest();

        Assert.Equal((0u, 2u * Block), test.Write(0, 0, Pattern(2, seed: 1)));
    }

    [Fact]
    public void RemoveSegmentsBefore_AgainAndAgainWhileTheDiskHangs_WaitsForEachOnce()
    {
        using var test = new DeviceUnderTest();
        for (int segment = 0; segment < 3; segment++) test.Write(segment, 0, Pattern(1, seed: segment));
        using (var gate = new DiskGate(test.Device, IoKind.Remove))
        {
            gate.Close();
            for (int i = 0; i < 100; i++) test.Device.RemoveSegmentsBefore(3);
            var (running, waiting) = PrivateField.Of<IoThreads>(test.Device, "_writers").Unfinished();
            Assert.InRange(running.Length + waiting.Length, 1, 3);
        }

        Until.True(() => !test.Files.Any(), "the files are gone");
    }

    [Fact]
    public void Read_NeverWritten_IsZerosWithoutDamage()
    {
        using var test = new DeviceUnderTest();
        test.Write(0, 4, Pattern(1, seed: 1));

        AssertZeros(test.Read(0, 0, 4));
        AssertZeros(test.Read(3, 0, 1));
        Assert.Equal(0, test.Device.DamagedBlocks);
    }

    [Fact]
    public void Read_BlocksBesideWritten_AreZeros()
    {
        using var test = new DeviceUnderTest();
        byte[] bytes = Pattern(1, seed: 1);
        test.Write(0, 1, bytes);

        byte[] read = test.Read(0, 0, 3);

        AssertZeros(read.AsSpan(0, Block));
        Assert.Equal(bytes, read[Block..(2 * Block)]);
        AssertZeros(read.AsSpan(2 * Block));
    }

    [Fact]
    public void Read_Overwritten_IsTheNewer()
    {
        using var test = new DeviceUnderTest();
        byte[] newer = Pattern(2, seed: 2);
        test.Write(0, 0, Pattern(2, seed: 1));

        test.Write(0, 0, newer);

        Assert.Equal(newer, test.Read(0, 0, 2));
    }

    /// <summary>As a whole, because a record may lie across two blocks.</summary>
    [Fact]
    public void Read_BeyondTheEndOfATruncatedFile_IsZerosAsAWhole()
    {
        using var test = new DeviceUnderTest();
        test.Write(0, 0, Pattern(4, seed: 1));
        Truncate(test.PathOf(0), 2 * Block);

        AssertZeros(test.Read(0, 0, 4));
    }

    [Fact]
    public void Read_BeforeTheEndOfATruncatedFile_IsWhatWasWritten()
    {
        using var test = new DeviceUnderTest();
        byte[] bytes = Pattern(4, seed: 1);
        test.Write(0, 0, bytes);
        Truncate(test.PathOf(0), (2 * Block) + 100);

        Assert.Equal(bytes[..(2 * Block)], test.Read(0, 0, 2));
    }

    [Fact]
    public void Read_TruncatedFile_CountsDamage()
    {
        using var test = new DeviceUnderTest();
        test.Write(0, 0, Pattern(4, seed: 1));
        Truncate(test.PathOf(0), 2 * Block);

        test.Read(0, 0, 4);

        Assert.Equal(2, test.Device.DamagedBlocks);
    }

    [Fact]
    public void Read_FlippedBit_IsZerosAsAWhole()
    {
        using var test = new DeviceUnderTest();
        test.Write(0, 0, Pattern(3, seed: 1));
        Flip(test.PathOf(0), Block + 777);

        AssertZeros(test.Read(0, 0, 3));
    }

    [Fact]
    public void Read_BesideAFlippedBit_IsWhatWasWritten()
    {
        using var test = new DeviceUnderTest();
        byte[] bytes = Pattern(3, seed: 1);
        test.Write(0, 0, bytes);
        Flip(test.PathOf(0), Block + 777);

        Assert.Equal(bytes[..Block], test.Read(0, 0, 1));
        Assert.Equal(bytes[(2 * Block)..], test.Read(0, 2, 1));
    }

    [Fact]
    public void Read_FlippedBit_CountsOneDamagedBlock()
    {
        using var test = new DeviceUnderTest();
        test.Write(0, 0, Pattern(3, seed: 1));
        Flip(test.PathOf(0), Block + 777);

        test.Read(0, 0, 3);

        Assert.Equal(1, test.Device.DamagedBlocks);
    }

    [Fact]
    public void Read_BlocksSwapped_IsZeros()
    {
        using var test = new DeviceUnderTest();
        byte[] bytes = Pattern(2, seed: 1);
        test.Write(0, 0, bytes);
        using (var file = File.OpenHandle(test.PathOf(0), FileMode.Open, FileAccess.Write, FileShare.ReadWrite)) RandomAccess.Write(file, [.. bytes[Block..], .. bytes[..Block]], 0);

        AssertZeros(test.Read(0, 0, 2));
    }

    [Fact]
    public void Read_OfZerosThatWereWritten_IsNoDamage()
    {
        using var test = new DeviceUnderTest();
        test.Write(0, 0, new byte[Block]);

        AssertZeros(test.Read(0, 0, 1));
        Assert.Equal(0, test.Device.DamagedBlocks);
    }

    [Fact]
    public void Write_Failing_ReportsSuccess()
    {
        using var test = new DeviceUnderTest();
        test.Device.Fault = static r => r.Kind == IoKind.Write;

        Assert.Equal((0u, (uint)Block), test.Write(0, 0, Pattern(1, seed: 1)));
    }

    [Fact]
    public void Write_Failing_IsCounted()
    {
        using var test = new DeviceUnderTest();
        test.Device.Fault = static r => r.Kind == IoKind.Write;

        test.Write(0, 0, Pattern(1, seed: 1));

        Assert.Equal(1, test.Device.WriteErrors);
    }

    [Fact]
    public void Read_AfterFailedOverwrite_IsZerosNotTheOlder()
    {
        using var test = new DeviceUnderTest();
        test.Write(0, 0, Pattern(2, seed: 1));
        test.Device.Fault = static r => r.Kind == IoKind.Write;
        test.Write(0, 0, Pattern(2, seed: 2));

        AssertZeros(test.Read(0, 0, 2));
    }

    [Fact]
    public void Read_OneBlockLost_IsZerosAsAWhole()
    {
        using var test = new DeviceUnderTest();
        test.Write(0, 0, Pattern(3, seed: 1));
        test.Device.Fault = static r => r.Kind == IoKind.Write;
        test.Write(0, 1, Pattern(1, seed: 2));

        AssertZeros(test.Read(0, 0, 3));
    }

    [Fact]
    public void Write_AfterFailedOne_Heals()
    {
        using var test = new DeviceUnderTest();
        byte[] bytes = Pattern(2, seed: 2);
        test.Device.Fault = static r => r.Kind == IoKind.Write;
        test.Write(0, 0, Pattern(2, seed: 1));
        test.Device.Fault = null;

        test.Write(0, 0, bytes);

        Assert.Equal(bytes, test.Read(0, 0, 2));
    }

    [Fact]
    public void Read_Failing_IsZeros()
    {
        using var test = new DeviceUnderTest();
        test.Write(0, 0, Pattern(2, seed: 1));
        test.Device.Fault = static r => r.Kind == IoKind.Read;

        AssertZeros(test.Read(0, 0, 2));
    }

    [Fact]
    public void Read_Failing_IsCounted()
    {
        using var test = new DeviceUnderTest();
        test.Write(0, 0, Pattern(2, seed: 1));
        test.Device.Fault = static r => r.Kind == IoKind.Read;

        test.Read(0, 0, 2);

        Assert.Equal(1, test.Device.ReadErrors);
    }

    [Fact]
    public void Read_AfterFailedRead_IsWhatWasWritten()
    {
        using var test = new DeviceUnderTest();
        byte[] bytes = Pattern(2, seed: 1);
        test.Write(0, 0, bytes);
        test.Device.Fault = static r => r.Kind == IoKind.Read;
        test.Read(0, 0, 2);
        test.Device.Fault = null;

        Assert.Equal(bytes, test.Read(0, 0, 2));
    }

    [Fact]
    public void Read_RemovedSegment_IsZeros()
    {
        using var test = new DeviceUnderTest();
        test.Write(0, 0, Pattern(2, seed: 1));
        test.Remove(0);

        AssertZeros(test.Read(0, 0, 2));
    }

    [Fact]
    public void Read_RemovedSegment_DoesNotMakeItsFileAgain()
    {
        using var test = new DeviceUnderTest();
        test.Write(0, 0, Pattern(2, seed: 1));
        test.Write(1, 0, Pattern(2, seed: 1));
        test.Remove(0);

        test.Read(0, 0, 2);
        test.Device.GetFileSize(0);

        Assert.Equal(["log-00000001"], test.Files);
    }

    [Fact]
    public void Write_RemovedSegment_IsLostAndCounted()
    {
        using var test = new DeviceUnderTest();
        test.Write(0, 0, Pattern(2, seed: 1));
        test.Remove(0);

        test.Write(0, 0, Pattern(2, seed: 1));

        Assert.Empty(test.Files);
        Assert.Equal(1, test.Device.WriteErrors);
    }

    [Fact]
    public void Remove_Segment_GivesItsBytesBack()
    {
        using var test = new DeviceUnderTest();
        test.Write(0, 0, Pattern(2, seed: 1));
        test.Write(1, 0, Pattern(3, seed: 1));

        test.Remove(0);

        Assert.Equal(3 * Block, test.Device.DiskBytes);
        Assert.Equal(SegmentBlocks * sizeof(uint), test.Device.Checksums.MemoryBytes);
    }

    [Fact]
    public void Write_OneSegmentTooMany_IsLostAndCounted()
    {
        using var test = new DeviceUnderTest(maximumSegments: 3);
        for (int segment = 0; segment < 5; segment++) test.Write(segment, 0, Pattern(1, seed: segment));

        Assert.Equal(["log-00000000", "log-00000001", "log-00000002"], test.Files);
        Assert.Equal(2, test.Device.WriteErrors);
    }

    /// <summary>Places for what is known of segments are as few as segments: those of others would not outlive a kill.</summary>
    [Fact]
    public void Write_OneSegmentTooMany_NothingIsKnownOfIt()
    {
        using var test = new DeviceUnderTest(maximumSegments: 1);
        for (int segment = 0; segment < 2; segment++) test.Write(segment, 0, Pattern(1, seed: segment));

        Assert.Equal([0], test.Device.Checksums.Segments);
    }

    [Fact]
    public void Write_AfterRoomWasMade_IsKept()
    {
        using var test = new DeviceUnderTest(maximumSegments: 2);
        byte[] bytes = Pattern(1, seed: 3);
        for (int segment = 0; segment < 2; segment++) test.Write(segment, 0, Pattern(1, seed: segment));
        test.Remove(0);

        test.Write(2, 0, bytes);

        Assert.Equal(bytes, test.Read(2, 0, 1));
    }

    private static void Truncate(string path, long length)
    {
        using var file = File.OpenHandle(path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite);
        RandomAccess.SetLength(file, length);
    }

    private static void Flip(string path, long offset)
    {
        using var file = File.OpenHandle(path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);
        byte[] one = new byte[1];
        RandomAccess.Read(file, one, offset);
        one[0] ^= 0x10;
        RandomAccess.Write(file, one, offset);
    }
}
