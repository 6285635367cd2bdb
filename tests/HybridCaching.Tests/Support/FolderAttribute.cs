namespace HybridCaching.Tests.Support;

/// <summary>An attribute of a folder that binds even root, until disposed. Skips the test where that is not possible.</summary>
public sealed class FolderAttribute : IDisposable
{
    private readonly string _path;
    private readonly char _attribute;

    private FolderAttribute(string path, char attribute)
    {
        _path = path;
        _attribute = attribute;
        if (!OperatingSystem.IsLinux() || !Tool.TryRun("chattr", $"+{attribute}", path)) Assert.Skip("This needs Linux, a file system with attributes such as ext4, and root.");
    }

    /// <summary>Nothing may be created in the folder.</summary>
    public static FolderAttribute Immutable(string path) => new(path, 'i');

    /// <summary>Files may not be removed; new ones can be made and written.</summary>
    public static FolderAttribute Undeletable(string path) => new(path, 'a');

    public void Dispose() => Tool.TryRun("chattr", $"-{_attribute}", _path);
}
