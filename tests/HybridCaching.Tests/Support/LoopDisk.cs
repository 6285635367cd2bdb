using System.Globalization;
using HybridCaching.Devices;

namespace HybridCaching.Tests.Support;

/// <summary>A disk of a test's own: a file used as a block device, with a real file system on it that can be broken for real. Skips the test where that is not possible, saying why.</summary>
public sealed class LoopDisk : IDisposable
{
    private const string ReadLimit = "/sys/fs/cgroup/blkio/blkio.throttle.read_bps_device";

    private readonly TestDirectory _image = new();
    private readonly TestDirectory _mount = new();
    private readonly string _kind;
    private readonly LoopDisk? _below;
    private string _device = "";
    private string? _numbers;

    /// <summary>Makes and mounts it.</summary>
    /// <param name="kind">Its file system: <c>xfs</c> or <c>ext4</c>.</param>
    /// <param name="size">How large it is, as <c>truncate</c> takes it; xfs wants 300 MiB.</param>
    /// <param name="isStacked">Whether it lies on another such disk, whose reads are what <see cref="HoldReads"/> holds: requests are then on their way to this one, and do not end.</param>
    public LoopDisk(string kind, string size = "512M", bool isStacked = false)
    {
        _kind = kind;
        if (isStacked) _below = new LoopDisk("ext4", "1G");
        string image = System.IO.Path.Combine(_below?.Path ?? _image.Path, "disk");
        bool isMade = OperatingSystem.IsLinux() && Tool.TryRun("truncate", "-s", size, image) && Tool.TryRun($"mkfs.{kind}", "-q", image);
        if (isMade) _device = Tool.Output("losetup", "--find", "--show", isStacked ? "--direct-io=on" : "--direct-io=off", image)?.Trim() ?? "";
        if (_device.Length > 0 && Mount()) return;
        Dispose();
        Assert.Skip($"This needs Linux, mkfs.{kind}, loop devices and the right to mount (root).");
    }

    public string Path => _mount.Path;

    /// <summary>From now on everything fails with EIO, as when the device is gone; <see cref="TryRemount"/> mends it.</summary>
    public void ShutDown()
    {
        if (!Tool.TryRun("xfs_io", "-x", "-c", "shutdown", Path)) Assert.Skip("This needs xfs_io (package xfsprogs).");
    }

    /// <summary>Brings everything to it.</summary>
    public void Sync() => Assert.True(Tool.TryRun("sync", "--file-system", Path), "sync");

    /// <summary>Has ext4 find an error, upon which it makes itself read-only; only unmounting ends that.</summary>
    public void FindError() => File.WriteAllText($"/sys/fs/ext4/{System.IO.Path.GetFileName(_device)}/trigger_fs_error", "test");

    /// <summary>Whoever writes waits until <see cref="Thaw"/>.</summary>
    public void Freeze() => Assert.True(Tool.TryRun("fsfreeze", "--freeze", Path), "fsfreeze");

    public void Thaw() => Assert.True(Tool.TryRun("fsfreeze", "--unfreeze", Path), "fsfreeze");

    /// <summary>Whoever reads from the device waits, practically for ever, until <see cref="AllowReads"/>.</summary>
    public void HoldReads()
    {
        if (!File.Exists(ReadLimit))
        {
            Dispose(); // nobody does if a constructor is skipped
            Assert.Skip("This needs the blkio controller of cgroups, version 1.");
        }

        if (_below is not null)
        {
            _below.Sync();
            _below.HoldReads();
            return;
        }

        _numbers = UnixFile.DeviceOf(Path);
        LimitReads(bytesPerSecond: 1);
    }

    /// <summary>From now on so many requests may be on their way to the device at once; the next one waits until one has ended.</summary>
    public void LimitRequests(int most) => File.WriteAllText($"/sys/block/{System.IO.Path.GetFileName(_device)}/queue/nr_requests", most.ToString(CultureInfo.InvariantCulture));

    public void AllowReads()
    {
        _below?.AllowReads();
        if (_numbers is not null) LimitReads(bytesPerSecond: 0);
        _numbers = null;
    }

    /// <summary>Unmounts and mounts again; false as long as somebody has files open.</summary>
    public bool TryRemount() => TryUnmount() && Mount();

    /// <summary>False as long as somebody has files open.</summary>
    public bool TryUnmount() => Tool.TryRun("umount", Path);

    public bool Mount() => Tool.TryRun("mount", "-t", _kind, "-o", _kind == "ext4" ? "errors=remount-ro" : "rw", _device, Path);

    public void Dispose()
    {
        if (_device.Length > 0)
        {
            Tool.TryRun("fsfreeze", "--unfreeze", Path);
            AllowReads();
            Tool.TryRun("umount", "-l", Path);
            Tool.TryRun("losetup", "--detach", _device);
            _device = ""; // it may be another's from now on
        }

        _below?.Dispose();

        _mount.Dispose();
        _image.Dispose();
    }

    private void LimitReads(long bytesPerSecond) => File.WriteAllText(ReadLimit, string.Create(CultureInfo.InvariantCulture, $"{_numbers} {bytesPerSecond}"));
}
