using HybridCaching.Tests.Support;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Logging;

namespace HybridCaching.Tests.Distributed;

/// <summary>Opens small caches of bytes, and knows where their entries are.</summary>
internal static class BytesCache
{
    public const string Name = "bytes";

    /// <summary>The largest values of these tests.</summary>
    public const int LargestValue = 300_000;

    private const string FillerPrefix = "filler:";
    private const int FillerBytes = 4000;

    /// <summary>Entries that never expire.</summary>
    public static DistributedCacheEntryOptions ForEver { get; } = new();

    public static FasterDistributedCacheOptions Options(string? directory, string memory = "16MB", string disk = "64MB") => new()
    {
        Directory = directory,
        Name = Name,
        MemoryBudget = memory,
        DiskBudget = disk,
        DiskTimeout = Until.Deadline,
        WhenDirectoryUnavailable = DirectoryUnavailable.Throw,
        MaximumValueBytes = "1MB",
        TypicalEntryBytes = "4KB",
    };

    public static FasterDistributedCache Open(
        string? directory, string memory = "16MB", string disk = "64MB", Action<FasterDistributedCacheOptions>? change = null, ILoggerFactory? log = null, TimeProvider? housekeeping = null)
    {
        var options = Options(directory, memory, disk);
        change?.Invoke(options);
        return new FasterDistributedCache(options, housekeeping ?? TimeProvider.System, log);
    }

    /// <summary>The folder that a cache has below its directory.</summary>
    public static string FolderIn(string directory) => Path.Combine(directory, Name);

    /// <summary>Stores so many bytes of other entries under keys of their own, so that what was stored before is the oldest.</summary>
    public static void Push(this FasterDistributedCache cache, long bytes, int round)
    {
        for (long i = 0; i * FillerBytes < bytes; i++)
        {
            string key = $"{FillerPrefix}{round}:{i}";
            cache.Set(key, BytesValue.Of(key, round, FillerBytes), ForEver);
        }
    }

    /// <summary>Where an entry is; null if it is not there.</summary>
    public static CacheTier? TierOf(this FasterDistributedCache cache, string key) => cache.TryGetEntryInfo(key, out var info) ? info.Tier : null;

    /// <summary>Reads an asynchronous sequence to its end, on a thread that may block.</summary>
    public static List<T> ToListBlocking<T>(this IAsyncEnumerable<T> items)
    {
        return Collect().WaitAsync(Until.Deadline).GetAwaiter().GetResult();

        async Task<List<T>> Collect()
        {
            var list = new List<T>();
            await foreach (var item in items.ConfigureAwait(false)) list.Add(item);
            return list;
        }
    }

    /// <summary>Throws if the call that this thread waits for does not end.</summary>
    public static T Await<T>(this ValueTask<T> task) => task.IsCompletedSuccessfully ? task.Result : task.AsTask().WaitAsync(4 * Until.Deadline).GetAwaiter().GetResult();
}
