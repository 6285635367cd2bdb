namespace HybridCaching.Devices;

/// <summary>Where the file system of a path is mounted.</summary>
internal static class MountPoint
{
    /// <summary>The mount point that a path lies below, by its text; null where that cannot be told.</summary>
    public static string? Of(string path)
    {
        if (OperatingSystem.IsWindows()) return null;
        try
        {
            return DriveInfo.GetDrives().Select(static d => d.Name).Where(name => IsAbove(name, path)).MaxBy(static name => name.Length);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    private static bool IsAbove(string mount, string path) =>
        path.StartsWith(mount, StringComparison.Ordinal) && (mount.EndsWith('/') || path.Length == mount.Length || path[mount.Length] == '/');
}
