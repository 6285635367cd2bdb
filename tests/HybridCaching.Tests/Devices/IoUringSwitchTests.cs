using HybridCaching.Devices;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Devices;

/// <summary>The whole cache with io_uring, which a switch of the process asks for.</summary>
[Collection(nameof(RunsAlone))]
public sealed class IoUringSwitchTests : IDisposable
{
    private const int Threads = 16;
    private const int KeysOfEach = 200;

    private readonly TestDirectory _directory = new();

    public IoUringSwitchTests() => KernelReadsTests.NeedIoUring();

    public void Dispose()
    {
        AppContext.SetSwitch(IoUring.Switch, false);
        _directory.Dispose();
    }

    [Fact]
    public void TryGet_SwitchedOn_ReadsByItAndGivesItBack()
    {
        int before = OpenRings();
        AppContext.SetSwitch(IoUring.Switch, true);
        int during;
        using (var cache = ColdCache.Open(_directory.Path, change: o => o.DiskIo = DiskIo.Direct))
        {
            Crew.Run(Threads, me =>
            {
                for (long key = me * KeysOfEach; key < (me + 1) * KeysOfEach; key++) Assert.True(cache.TryGet(key, out var value) && value.Key == key);
            });
            during = OpenRings();
        }

        Assert.InRange(during, before + 1, int.MaxValue);
        Assert.Equal(before, OpenRings());
    }

    [Fact]
    public void TryGet_NotAskedFor_UsesNone()
    {
        int before = OpenRings();
        using var cache = ColdCache.Open(_directory.Path, change: o => o.DiskIo = DiskIo.Direct);
        for (long key = 0; key < KeysOfEach; key++) Assert.True(cache.TryGet(key, out _));

        Assert.Equal(before, OpenRings());
    }

    private static int OpenRings() => new DirectoryInfo("/proc/self/fd").EnumerateFileSystemInfos().Count(file => file.LinkTarget == "anon_inode:[io_uring]");
}
