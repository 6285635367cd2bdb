using HybridCaching.Devices;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Devices;

public sealed class BlockDeviceTests : IDisposable
{
    private readonly TestDirectory _system = new();

    public void Dispose() => _system.Dispose();

    [Fact]
    public void RequestsAtOnce_FileSystemOnADevice_AreThoseOfTheDevice()
    {
        using var disk = new LoopDisk("ext4", "16M");
        disk.LimitRequests(6);

        Assert.Equal(6, BlockDevice.RequestsAtOnce(disk.Path));
    }

    [Theory]
    [InlineData("/proc")]
    [InlineData("/no such folder")]
    public void RequestsAtOnce_NoDevice_AreNotKnown(string folder) => Assert.Null(BlockDevice.RequestsAtOnce(folder));

    [Fact]
    public void RequestsOf_Partition_AreThoseOfTheDisk() => Assert.Equal(32, BlockDevice.RequestsOf(Partition("sda", "sda1", 32)));

    [Fact]
    public void RequestsOf_MadeOfSeveral_AreTheLeast()
    {
        string mapped = Disk("dm-0", 128);
        string slaves = Directory.CreateDirectory(Path.Combine(mapped, "slaves")).FullName;
        Directory.CreateSymbolicLink(Path.Combine(slaves, "sda1"), Partition("sda", "sda1", 64));
        Directory.CreateSymbolicLink(Path.Combine(slaves, "sdb"), Disk("sdb", 32));

        Assert.Equal(32, BlockDevice.RequestsOf(mapped));
    }

    [Fact]
    public void RequestsOf_LinkToADevice_AreThoseOfTheDevice()
    {
        string link = _system.Combine("8:0");
        Directory.CreateSymbolicLink(link, Disk("sda", 32));

        Assert.Equal(32, BlockDevice.RequestsOf(link));
    }

    private string Disk(string name, int requests)
    {
        string disk = _system.Combine(name);
        Directory.CreateDirectory(Path.Combine(disk, "queue"));
        File.WriteAllText(Path.Combine(disk, "queue", "nr_requests"), $"{requests}\n");
        return disk;
    }

    private string Partition(string disk, string name, int requests)
    {
        string partition = Directory.CreateDirectory(Path.Combine(Disk(disk, requests), name)).FullName;
        File.WriteAllText(Path.Combine(partition, "partition"), "1\n");
        return partition;
    }
}
