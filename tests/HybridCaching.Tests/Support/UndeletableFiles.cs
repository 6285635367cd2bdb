namespace HybridCaching.Tests.Support;

/// <summary>Keeps the files of a folder from being removed; new ones can be made and written. Skips the test where that is not possible.</summary>
public sealed class UndeletableFiles : IDisposable
{
    private readonly string _folder;

    public UndeletableFiles(string folder)
    {
        _folder = folder;
        if (!OperatingSystem.IsLinux() || !Tool.TryRun("chattr", "+a", folder)) Assert.Skip("This needs Linux, a file system with attributes such as ext4, and root.");
    }

    public void Dispose() => Tool.TryRun("chattr", "-a", _folder);
}
