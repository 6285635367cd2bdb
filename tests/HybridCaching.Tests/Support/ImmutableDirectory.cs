namespace HybridCaching.Tests.Support;

/// <summary>A directory in which even root may create nothing. Skips the test where that is not possible.</summary>
public sealed class ImmutableDirectory : IDisposable
{
    private readonly string _path;

    public ImmutableDirectory(string path)
    {
        _path = path;
        if (!OperatingSystem.IsLinux() || !Tool.TryRun("chattr", "+i", path)) Assert.Skip("This needs Linux, a file system with attributes such as ext4, and root.");
    }

    public void Dispose() => Tool.TryRun("chattr", "-i", _path);
}
