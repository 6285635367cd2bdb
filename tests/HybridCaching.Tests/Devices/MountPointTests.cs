using HybridCaching.Devices;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Devices;

public sealed class MountPointTests
{
    [Fact]
    public void Of_BelowAMount_IsTheMount()
    {
        using var mount = new MountedDirectory();

        Assert.Equal(mount.Path, MountPoint.Of(Path.Combine(mount.Path, "a", "b")));
        Assert.Equal(mount.Path, MountPoint.Of(mount.Path));
    }

    [Fact]
    public void Of_BesideAMount_IsNotTheMount()
    {
        using var mount = new MountedDirectory();

        Assert.NotEqual(mount.Path, MountPoint.Of(mount.Path + "-beside"));
    }

    [Fact]
    public void Of_NoSuchFolder_IsThatOfItsParents()
    {
        if (OperatingSystem.IsWindows()) Assert.Skip("Windows has no mount points that matter here.");
        using var directory = new TestDirectory();

        Assert.Equal(MountPoint.Of(directory.Path), MountPoint.Of(directory.Combine("no/such/folder")));
        Assert.NotNull(MountPoint.Of(directory.Path));
    }
}
