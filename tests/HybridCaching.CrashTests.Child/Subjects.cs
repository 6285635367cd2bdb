using Microsoft.Extensions.Logging;

namespace HybridCaching.CrashTests.Child;

/// <summary>Opens caches.</summary>
internal static class Subjects
{
    /// <summary>The folder that a cache has below its directory.</summary>
    public static string FolderIn(string directory, CacheKind kind) => Path.Combine(directory, kind == CacheKind.Bytes ? BytesSubject.Name : TypedSubject.Name);

    /// <summary>Opens the cache of a plan.</summary>
    /// <param name="plan">Where it is, and its budgets.</param>
    /// <param name="state">The expected state, which has its clock.</param>
    /// <param name="throws">Whether a directory that is not to be had is an exception.</param>
    /// <param name="log">Where to log.</param>
    public static ISubject Open(ChildPlan plan, SharedState state, bool throws = true, ILoggerFactory? log = null)
    {
        var options = new FasterDistributedCacheOptions
        {
            Directory = plan.Directory,
            MemoryBudget = plan.MemoryBudget,
            DiskBudget = plan.DiskBudget,
            DiskIo = plan.DiskIo,
            DiskWriteBudget = plan.DiskWriteBudget is { } bytes ? new ByteSize(bytes) : default(ByteSize?),
            DiskTimeout = TimeSpan.FromSeconds(10),
            WhenDirectoryUnavailable = throws ? DirectoryUnavailable.Throw : DirectoryUnavailable.MemoryOnly,
            TimeProvider = new ShiftedClock(state),
        };
        return plan.Kind == CacheKind.Bytes ? new BytesSubject(options, state.Keys, log) : new TypedSubject(options, state, log);
    }
}
