namespace HybridCaching.Tests.Support;

/// <summary>Who may do what with a file, on platforms that have modes; elsewhere the test is skipped.</summary>
public static class FileModes
{
    public const UnixFileMode PrivateFile = UnixFileMode.UserRead | UnixFileMode.UserWrite;
    public const UnixFileMode PrivateFolder = PrivateFile | UnixFileMode.UserExecute;
    public const UnixFileMode PublicFolder = PrivateFolder | UnixFileMode.GroupRead | UnixFileMode.OtherRead | UnixFileMode.OtherExecute;

    public static UnixFileMode Of(string path)
    {
        if (!OperatingSystem.IsWindows()) return File.GetUnixFileMode(path);
        Skip();
        return default;
    }

    public static void Set(string path, UnixFileMode mode)
    {
        if (OperatingSystem.IsWindows()) Skip();
        else File.SetUnixFileMode(path, mode);
    }

    private static void Skip() => Assert.Skip("Windows has access control lists in place of modes.");
}
