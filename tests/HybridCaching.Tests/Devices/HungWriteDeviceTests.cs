using HybridCaching.Devices;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;
using static HybridCaching.Tests.Devices.DeviceUnderTest;

namespace HybridCaching.Tests.Devices;

/// <summary>Writes that hang are given up: lost, but ended.</summary>
public sealed class HungWriteDeviceTests : IDisposable
{
    private readonly DeviceUnderTest _test = new();
    private readonly DiskGate _gate;

    public HungWriteDeviceTests() => _gate = new DiskGate(_test.Device, IoKind.Write);

    [Fact]
    public void Write_Hangs_EndsAndCounts()
    {
        _gate.Close();

        GiveUp(() => _test.Write(0, 0, Pattern(1, seed: 1)));

        Assert.Equal(1, _test.Device.WriteErrors);
    }

    [Fact]
    public void Read_WriteGivenUpAndThenDone_IsZeros()
    {
        _gate.Close();
        GiveUp(() => _test.Write(0, 0, Pattern(1, seed: 1)));
        _gate.Open();
        _test.Write(1, 0, Pattern(1, seed: 2));

        AssertZeros(_test.Read(0, 0, 1));
    }

    /// <summary>The thread that hung has not looked at memory that is not its own any more.</summary>
    [Fact]
    public void Read_WrittenAnewAfterItWasGivenUp_IsTheNewer()
    {
        _gate.Close();
        GiveUp(() => _test.Write(0, 0, Pattern(1, seed: 1)));
        _gate.Open();
        Until.True(() => _gate.Held == 0, "the write goes on");
        _test.Device.GiveUpHungWrites();
        byte[] bytes = Pattern(1, seed: 2);

        Until.True(
            () =>
            {
                _test.Device.GiveUpHungWrites();
                _test.Write(0, 0, bytes);
                return _test.Read(0, 0, 1).SequenceEqual(bytes);
            },
            "writes reach the disk again");
    }

    [Fact]
    public void Write_EveryThreadHangs_IsLostAtOnce()
    {
        _gate.Close();
        GiveUp(() => Crew.Run(8, me => _test.Write(me % 4, me, Pattern(1, seed: me))));

        Crew.MustEnd("the write", () => _test.Write(0, 9, Pattern(1, seed: 9)));

        Assert.Equal(9, _test.Device.WriteErrors);
        Assert.True(_gate.IsClosed);
    }

    /// <summary>As when a cache is closed: nobody looks after hung writes any more.</summary>
    [Fact]
    public void Write_ThreadsAreBackAndNobodyHasLooked_IsDone()
    {
        _gate.Close();
        GiveUp(() => Crew.Run(2, me => _test.Write(me, 0, Pattern(1, seed: me))));
        _gate.Open();
        Until.True(() => !PrivateField.Of<IoThreads>(_test.Device, "_writers").IsBusy, "both threads are back");
        byte[] bytes = Pattern(1, seed: 2);

        _test.Write(2, 0, bytes);

        Assert.Equal(bytes, _test.Read(2, 0, 1));
    }

    [Fact]
    public void GiveUpHungWrites_NothingHangs_LosesNothing()
    {
        byte[] bytes = Pattern(4, seed: 1);
        var writer = Crew.Start(() =>
        {
            for (int i = 0; i < 100; i++) _test.Write(i % 4, 0, bytes);
        });
        while (writer.IsAlive) _test.Device.GiveUpHungWrites();

        Assert.Equal(0, _test.Device.WriteErrors);
        Assert.Equal(bytes, _test.Read(0, 0, 4));
    }

    public void Dispose()
    {
        _gate.Dispose();
        _test.Dispose();
    }

    /// <summary>As housekeeping does.</summary>
    private void GiveUp(Action write)
    {
        var writer = Crew.Start(write);
        Until.True(
            () =>
            {
                _test.Device.GiveUpHungWrites();
                return !writer.IsAlive;
            },
            "the write is given up");
        Assert.True(_gate.IsClosed);
    }
}
