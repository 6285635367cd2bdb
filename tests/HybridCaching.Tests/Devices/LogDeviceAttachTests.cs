using HybridCaching.Devices;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;
using static HybridCaching.Tests.Devices.DeviceUnderTest;

namespace HybridCaching.Tests.Devices;

/// <summary>A device that gets its files later, or gets files that an earlier run has left.</summary>
public sealed class LogDeviceAttachTests
{
    /// <summary>After a restart the device has to know the files that are there before it has touched any of them.</summary>
    [Fact]
    public void Write_OneSegmentTooManyBesideFilesOfARestart_IsLostAndCounted()
    {
        using var test = new DeviceUnderTest(maximumSegments: 3);
        for (int segment = 0; segment < 3; segment++) test.Write(segment, 0, Pattern(1, seed: segment));
        test.Attach();

        test.Write(3, 0, Pattern(1, seed: 3));

        Assert.Equal(["log-00000000", "log-00000001", "log-00000002"], test.Files);
    }

    [Fact]
    public void DiskBytes_FilesOfARestart_AreCounted()
    {
        using var test = new DeviceUnderTest();
        for (int segment = 0; segment < 3; segment++) test.Write(segment, 0, Pattern(2, seed: segment));

        test.Attach();

        Assert.Equal(3 * 2 * Block, test.Device.DiskBytes);
    }

    [Fact]
    public void RemoveSegmentsBefore_FilesOfARestart_AreRemoved()
    {
        using var test = new DeviceUnderTest();
        for (int segment = 0; segment < 3; segment++) test.Write(segment, 0, Pattern(1, seed: segment));
        test.Attach();
        test.Write(2, 1, Pattern(1, seed: 9));

        test.Device.RemoveSegmentsBefore(2);

        Until.True(() => test.Files.SequenceEqual(["log-00000002"]), "the files of older segments are gone");
    }

    /// <summary>Else a checkpoint would list more segments than there may be, and the next start would take it for damaged.</summary>
    [Fact]
    public void RemoveSegmentsBefore_FileDeletedBetweenTwoRuns_NothingIsKnownOfIt()
    {
        using var test = new DeviceUnderTest();
        for (int segment = 0; segment < 3; segment++) test.Write(segment, 0, Pattern(1, seed: segment));
        File.Delete(test.PathOf(0));
        test.Attach();

        test.Device.RemoveSegmentsBefore(2);

        Until.True(() => test.Device.Checksums.Segments.SequenceEqual([2]), "older segments are forgotten");
    }

    [Fact]
    public void Write_Detached_IsLostWithoutError()
    {
        using var test = new DeviceUnderTest(attach: false);

        Assert.Equal((0u, (uint)Block), test.Write(0, 0, Pattern(1, seed: 1)));
        Assert.Equal(0, test.Device.WriteErrors);
    }

    [Fact]
    public void Read_Detached_IsZeros()
    {
        using var test = new DeviceUnderTest(attach: false);
        test.Write(0, 0, Pattern(1, seed: 1));

        AssertZeros(test.Read(0, 0, 1));
    }

    [Fact]
    public void Read_WrittenBeforeDetach_IsZeros()
    {
        using var test = new DeviceUnderTest();
        test.Write(0, 0, Pattern(1, seed: 1));

        using (test.Device.Detach()) AssertZeros(test.Read(0, 0, 1));

        test.Attach();
        AssertZeros(test.Read(0, 0, 1)); // the file is still there, but what vouched for it is gone
    }

    [Fact]
    public void Write_DetachedAndAttachedAnew_IsThere()
    {
        using var test = new DeviceUnderTest();
        test.Write(0, 0, Pattern(1, seed: 1));
        test.Device.Detach()!.Dispose();
        test.Attach();
        byte[] bytes = Pattern(1, seed: 2);

        test.Write(0, 0, bytes);

        Assert.Equal(bytes, test.Read(0, 0, 1));
    }

    /// <summary>What was handed in before, and is written afterwards, must leave no checksum that vouches for it.</summary>
    [Fact]
    public void Write_DetachedWhileItIsWritten_IsLost()
    {
        using var test = new DeviceUnderTest();
        using var gate = new DiskGate(test.Device, IoKind.Write);
        gate.Close();
        var writer = Crew.Start(() => test.Write(0, 0, Pattern(1, seed: 1)));
        gate.AwaitHeld();

        using var files = test.Device.Detach();
        gate.Open();
        Crew.MustEnd("the write", writer.Join);
        test.Attach();

        AssertZeros(test.Read(0, 0, 1));
    }

    [Fact]
    public void Files_Closed_AreNotOpenedAgain()
    {
        using var test = new DeviceUnderTest();
        test.Write(0, 0, Pattern(1, seed: 1));
        var files = test.Device.Detach()!;
        files.Dispose();
        byte[] bytes = new byte[Block];

        files.Read(0, 0, bytes);

        AssertZeros(bytes);
        Assert.Throws<IOException>(() => files.Write(1, 0, bytes));
        Assert.Equal(["log-00000000"], test.Files);
    }

    [Fact]
    public void Read_WrittenBeforeAttach_IsZeros()
    {
        using var test = new DeviceUnderTest(attach: false);
        byte[] bytes = Pattern(1, seed: 2);
        test.Write(0, 0, Pattern(1, seed: 1));
        test.Attach();
        test.Write(0, 1, bytes);

        AssertZeros(test.Read(0, 0, 1));
        Assert.Equal(bytes, test.Read(0, 1, 1));
    }
}
