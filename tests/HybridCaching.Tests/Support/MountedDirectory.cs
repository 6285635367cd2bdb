namespace HybridCaching.Tests.Support;

/// <summary>A directory on a file system of its own, which can be full or made read-only under the feet of its users: for root, permissions are no obstacle.</summary>
public sealed class MountedDirectory : IDisposable
{
    private readonly TestDirectory _directory = new();
    private readonly bool _mounted;

    /// <summary>Mounts a file system in memory, or skips the test, saying why.</summary>
    /// <param name="size">How large it is, if its kind knows of a size.</param>
    /// <param name="kind">What kind: a tmpfs, or a ramfs, which cannot be used past the page cache.</param>
    public MountedDirectory(string size = "64m", string kind = "tmpfs")
    {
        _mounted = OperatingSystem.IsLinux() && Tool.TryRun("mount", "-t", kind, "-o", $"size={size}", "hybridcaching-tests", _directory.Path);
        if (_mounted) return;
        _directory.Dispose();
        Assert.Skip($"This needs Linux and the right to mount a {kind} (root).");
    }

    public string Path => _directory.Path;

    private string Filler => System.IO.Path.Combine(Path, "big");

    /// <summary>Somebody else takes all the room that is left, until <see cref="Empty"/>.</summary>
    public void Fill()
    {
        using var file = File.OpenHandle(Filler, FileMode.Create, FileAccess.Write);
        foreach (int bytes in new[] { 1 << 16, 1 << 12 })
        {
            byte[] piece = new byte[bytes];
            try
            {
                while (true) RandomAccess.Write(file, piece, RandomAccess.GetLength(file));
            }
            catch (IOException)
            {
                // Full.
            }
        }
    }

    public void Empty() => File.Delete(Filler);

    public void MakeReadOnly() => Assert.True(Tool.TryRun("mount", "-o", "remount,ro", Path), "remount,ro");

    public void Resize(string size) => Assert.True(Tool.TryRun("mount", "-o", $"remount,size={size}", Path), "remount,size");

    public void MakeWritable() => Assert.True(Tool.TryRun("mount", "-o", "remount,rw", Path), "remount,rw");

    /// <summary>Mounts it over itself, read-only from the first moment: a mount by way of which somebody has files open for writing cannot be made so. Until <see cref="MakeCoverWritable"/>.</summary>
    public void CoverReadOnly()
    {
        using var other = new TestDirectory();
        Assert.True(Tool.TryRun("mount", "--bind", Path, other.Path), "mount --bind");
        bool isCovered = Tool.TryRun("mount", "-o", "remount,bind,ro", other.Path) && Tool.TryRun("mount", "--bind", other.Path, Path);
        Assert.True(Tool.TryRun("umount", other.Path) && isCovered, "remount,bind,ro");
    }

    public void MakeCoverWritable() => Assert.True(Tool.TryRun("mount", "-o", "remount,bind,rw", Path), "remount,bind,rw");

    public void Dispose()
    {
        while (_mounted && Tool.TryRun("umount", "-l", Path))
        {
            // The cover is first.
        }

        _directory.Dispose();
    }
}
