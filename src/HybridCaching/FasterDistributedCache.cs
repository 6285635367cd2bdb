using System.Diagnostics.Metrics;
using HybridCaching.Configuration;
using HybridCaching.Diagnostics;
using HybridCaching.Hosting;
using HybridCaching.Records;
using HybridCaching.Tiering;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace HybridCaching;

/// <summary>
/// An <see cref="IDistributedCache"/> in this process: values as bytes under string keys, hot ones in memory, the rest on the local disk, inside two budgets stated in bytes, and warm again after
/// a restart. It is local: other processes and machines do not see it.
/// </summary>
/// <remarks>
/// <para>
/// All members are thread-safe. Trouble with the disk is a miss and a count in <see cref="GetStatistics"/>, never an exception.
/// A value read is a value that was stored under exactly that key and has not expired. Values are copied on their way in and out.
/// </para>
/// <para>
/// A memory hit completes synchronously. Members that are not asynchronous block the calling thread while the disk is read, no longer than <see cref="FasterCacheOptions.DiskTimeout"/>;
/// <c>SetAsync</c> and <c>RemoveAsync</c> do their work on the calling thread, too.
/// </para>
/// <para>
/// The tag markers of Microsoft's HybridCache and of FusionCache (keys that begin with <c>__MSFT_HCT__</c> or have <c>__fc:t:</c> in their first 256 characters; values of at most 1,024 bytes) are never evicted.
/// </para>
/// </remarks>
public sealed partial class FasterDistributedCache : IBufferDistributedCache, IHostedCache, IDisposable, IAsyncDisposable
{
    /// <summary>The longest key that is stored, in UTF-16 units. Reading a longer one is a miss; storing one is dropped, counted and logged.</summary>
    public const int MaximumKeyLength = KeyText.MaximumLength;

    /// <summary>The name of a cache whose options give none.</summary>
    internal const string DefaultName = "distributed";

    private readonly TieredBytes _tiers;
    private readonly CacheInstruments _instruments;
    private readonly TimeProvider _clock;
    private readonly TimeSpan? _defaultTimeToLive;
    private readonly TimeSpan? _defaultSliding;

    /// <summary>Opens a cache. What its directory holds of the last run is there again, on Linux after a sudden end of the process as well.</summary>
    /// <param name="options">The settings; read now, later changes have no effect.</param>
    /// <param name="loggerFactory">Where to log; null for nowhere.</param>
    /// <param name="meterFactory">Where to publish metrics; null for a meter of its own.</param>
    /// <exception cref="ArgumentException">An option cannot work. The message names it and what would work.</exception>
    /// <exception cref="IOException">
    /// The directory cannot be used and <see cref="FasterCacheOptions.WhenDirectoryUnavailable"/> is <see cref="DirectoryUnavailable.Throw"/>.
    /// </exception>
    /// <exception cref="NotSupportedException">The program uses another version of Microsoft.FASTER.Core than 2.6.5. The message says so.</exception>
    public FasterDistributedCache(FasterDistributedCacheOptions options, ILoggerFactory? loggerFactory = null, IMeterFactory? meterFactory = null)
        : this(options, new Surroundings { LoggerFactory = loggerFactory, MeterFactory = meterFactory })
    {
    }

    /// <inheritdoc cref="FasterDistributedCache(FasterDistributedCacheOptions, ILoggerFactory?, IMeterFactory?)"/>
    public FasterDistributedCache(IOptions<FasterDistributedCacheOptions> options, ILoggerFactory? loggerFactory = null, IMeterFactory? meterFactory = null)
        : this((options ?? throw new ArgumentNullException(nameof(options))).Value, loggerFactory, meterFactory)
    {
    }

    /// <summary>As above, with a clock for housekeeping that tests wind by hand.</summary>
    internal FasterDistributedCache(FasterDistributedCacheOptions options, TimeProvider housekeepingClock, ILoggerFactory? loggerFactory = null, IMeterFactory? meterFactory = null)
        : this(options, new Surroundings { HousekeepingClock = housekeepingClock, LoggerFactory = loggerFactory, MeterFactory = meterFactory })
    {
    }

    /// <summary>As above, where an application has registered it.</summary>
    internal FasterDistributedCache(FasterDistributedCacheOptions options, Surroundings surroundings)
    {
        var settings = CacheSettings.From(options, DefaultName, surroundings);
        var bytes = BytesSettings.From(options, settings.Name);
        _clock = settings.TimeProvider;
        _defaultTimeToLive = settings.DefaultTimeToLive;
        _defaultSliding = bytes.DefaultSlidingExpiration;
        _instruments = new CacheInstruments(settings.Name, surroundings.MeterFactory);
        try
        {
            _tiers = new TieredBytes(settings, bytes, surroundings.HousekeepingClock, surroundings.NewLogger(), _instruments);
            _instruments.Observe(this);
        }
        catch
        {
            _tiers?.Dispose(); // who listens to instruments is somebody else's code
            _instruments.Dispose();
            throw;
        }
    }

    /// <summary>About how many entries there are; expired ones count until they are dropped.</summary>
    /// <value>An estimate: an entry overwritten after it has left memory counts twice until its older record is dropped.</value>
    /// <exception cref="ObjectDisposedException">The cache was disposed.</exception>
    public long EstimatedCount => _tiers.EstimatedCount;

    string IHostedCache.Name => _tiers.Settings.Name;

    /// <summary>The tiers, for tests and benchmarks of this solution.</summary>
    internal TieredBytes Tiers => _tiers;

    /// <summary>What it publishes, for tests and benchmarks of this solution.</summary>
    internal CacheInstruments Instruments => _instruments;

    /// <summary>Counts since the cache was opened, and the state of its disk tier.</summary>
    /// <exception cref="ObjectDisposedException">The cache was disposed.</exception>
    public CacheStatistics GetStatistics() => _tiers.GetStatistics();

    /// <summary>What the cache has allocated now, by part.</summary>
    /// <exception cref="ObjectDisposedException">The cache was disposed.</exception>
    public MemoryUsage GetMemoryUsage() => _tiers.GetMemoryUsage();

    /// <summary>Changes both budgets while calls go on. When it returns, both hold: what does not fit any more has left, the oldest first.</summary>
    /// <param name="memoryBudget">All the memory the cache may allocate from now on: at most 8 times of what it was opened with.</param>
    /// <param name="diskBudget">All the disk blocks its folder may take from now on; 0 if it has no directory.</param>
    /// <remarks>
    /// <para>
    /// Blocks the caller until pages and files that are too many are gone; if the disk does not answer, no longer than about <see cref="FasterCacheOptions.DiskTimeout"/>: then what still waits for it is lost, and files go
    /// when it answers again. One change at a time; who comes second waits.
    /// </para>
    /// <para>
    /// Sizes of pages, files and hash index stay those that the cache was opened with, so budgets of several times as much, or a small part, serve better if the cache is opened with them.
    /// After a clean end, a restart whose options say the new budgets finds everything; after a kill it may find nothing (event 22 says so), and likewise if the disk was so small at first that nothing was kept beyond the log.
    /// </para>
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">A budget cannot be reached. The message names it and what is possible; nothing has changed.</exception>
    /// <exception cref="ObjectDisposedException">The cache was disposed.</exception>
    public void Resize(ByteSize memoryBudget, ByteSize diskBudget) => _tiers.Resize(memoryBudget, diskBudget);

    Task<bool> IHostedCache.CheckpointAsync(CancellationToken cancellationToken) => _tiers.CheckpointAsync(cancellationToken);

    /// <summary>Waits for running calls (up to 5 seconds), writes a checkpoint and gives the directory free. Writing takes as long as the disk needs for at most about <see cref="FasterCacheOptions.MemoryBudget"/> bytes; a disk that shows no progress for 5 seconds is given up. Later calls throw. May be called again.</summary>
    public void Dispose()
    {
        try
        {
            _tiers.Dispose();
        }
        finally
        {
            _instruments.Dispose(); // after the checkpoint, which is measured
        }
    }

    /// <summary>As <see cref="Dispose"/>, without blocking the caller.</summary>
    public ValueTask DisposeAsync() => new(OwnThread.Run(Dispose));

    private static bool IsTooLong(string key) => key.Length > MaximumKeyLength;
}
