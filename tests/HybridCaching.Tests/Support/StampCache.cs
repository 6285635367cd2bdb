using Microsoft.Extensions.Logging;

namespace HybridCaching.Tests.Support;

/// <summary>Opens small caches of <see cref="Stamp"/> in a directory of a test.</summary>
public static class StampCache
{
    public const string Name = "stamps";

    public static FasterCacheOptions Options(string directory) => new()
    {
        Directory = directory,
        Name = Name,
        MemoryBudget = "8MB",
        DiskBudget = "16MB",
        DiskTimeout = Until.Deadline,
    };

    public static FasterCache<long, Stamp> Open(string directory, ILoggerFactory? log = null, Action<FasterCacheOptions>? change = null, TimeProvider? housekeeping = null)
    {
        var options = Options(directory);
        change?.Invoke(options);
        return new FasterCache<long, Stamp>(options, housekeeping ?? TimeProvider.System, log);
    }

    /// <summary>The folder that a cache has below its directory.</summary>
    public static string FolderIn(string directory) => Path.Combine(directory, Name);

    public static void Fill(this FasterCache<long, Stamp> cache, long first, long count, long version)
    {
        for (long key = first; key < first + count; key++) cache.Set(key, Stamp.Of(key, version));
    }

    /// <summary>Reads keys; fails on a value that was not stored under its key with this version; returns how many were hits.</summary>
    public static int CountHits(this FasterCache<long, Stamp> cache, long first, long count, long version)
    {
        int hits = 0;
        for (long key = first; key < first + count; key++)
        {
            if (!cache.TryGet(key, out var value)) continue;
            Assert.Equal(Stamp.Of(key, version), value);
            hits++;
        }

        return hits;
    }

    /// <summary>Copies the files of a folder as they are at this moment, those of a cache that is open included; its lock stays behind.</summary>
    public static void Copy(string source, string destination)
    {
        Directory.CreateDirectory(destination);
        foreach (string file in Directory.EnumerateFiles(source).Where(f => Path.GetFileName(f) != "lock"))
        {
            try
            {
                using var from = new FileStream(file, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
                using var to = new FileStream(Path.Combine(destination, Path.GetFileName(file)), FileMode.CreateNew);
                from.CopyTo(to);
            }
            catch (FileNotFoundException)
            {
                // Deleted since it was listed: those of a checkpoint that has just been made void.
            }
        }
    }
}
