namespace HybridCaching.HitRate.Traces;

/// <summary>A folder of traces, with the hit ratios that reference policies must have on them if it says so.</summary>
internal sealed class TracePack
{
    /// <summary>Where the pack is if nobody says: beside the repository.</summary>
    private static readonly string BesideRepository = Path.Combine("..", "shared", "traces");

    /// <summary>Traces that come with a licence, or that may be shown where their paper is cited; see the README.</summary>
    public static IReadOnlySet<string> Public { get; } = new HashSet<string> { "web07", "web12", "orm-busy", "OLTP", "P3" };

    private TracePack(string folder, IReadOnlyList<string> files)
    {
        Folder = folder;
        Files = files;
    }

    public string Folder { get; }

    /// <summary>Its traces, by name.</summary>
    public IReadOnlyList<string> Files { get; }

    public static string DefaultFolder(string repositoryRoot) => Path.GetFullPath(Path.Combine(repositoryRoot, BesideRepository));

    /// <summary>The pack in a folder; null if there is no trace in it, or no folder.</summary>
    public static TracePack? In(string folder)
    {
        if (!Directory.Exists(folder)) return null;
        string[] files = [.. Directory.EnumerateFiles(folder).Where(TraceReader.IsTrace).OrderBy(TraceReader.NameOf, StringComparer.OrdinalIgnoreCase)];
        return files.Length > 0 ? new TracePack(folder, files) : null;
    }

    /// <exception cref="TraceFormatException">The file is there, but is something else.</exception>
    public IReadOnlyList<PublishedHits> PublishedHits()
    {
        string path = Path.Combine(Folder, Traces.PublishedHits.FileName);
        return File.Exists(path) ? Traces.PublishedHits.Read(path) : [];
    }
}
