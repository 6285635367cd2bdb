namespace HybridCaching.CrashTests.Damage;

/// <summary>The files of a folder by what they are for.</summary>
internal static class FolderFile
{
    public static string[] All { get; } = ["manifest", "checksums", "settled", "index", "first of the log", "middle of the log", "last of the log", "first of the main log", "last of the main log", "lock", "owner"];

    /// <summary>The path of a file; null if the folder has none.</summary>
    public static string? Find(string folder, string file)
    {
        string[] log = [.. Directory.EnumerateFiles(folder, "log-*").Order(StringComparer.Ordinal)];
        string[] main = [.. Directory.EnumerateFiles(folder, "main-*").Order(StringComparer.Ordinal)];
        string? path = file switch
        {
            "first of the log" => log.FirstOrDefault(),
            "middle of the log" => log.Length > 0 ? log[log.Length / 2] : null,
            "last of the log" => log.LastOrDefault(),
            "first of the main log" => main.FirstOrDefault(),
            "last of the main log" => main.LastOrDefault(),
            "index" => Directory.EnumerateFiles(folder, "index-*").FirstOrDefault(),
            _ => Path.Combine(folder, file),
        };
        return File.Exists(path) ? path : null;
    }
}
