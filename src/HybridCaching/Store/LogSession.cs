namespace HybridCaching.Store;

/// <summary>One owner's access to a log. Not thread-safe: whoever rented it from the pool uses it alone. Nothing is waited for while it is out.</summary>
internal abstract class LogSession : IDisposable
{
    /// <summary>The slot of the pool this session belongs to; -1 for a spare.</summary>
    public int Home { get; set; } = -1;

    /// <summary>How many bytes may be stored with this session before room in the log is looked for again; see <see cref="HybridLog.RoomFor"/>.</summary>
    public int RoomCredit;

    /// <summary>Counts of the operations done with this session. Written by its owner only.</summary>
    public SessionCounters Counters;

    /// <summary>Where on the disk the look-up of the key goes on that was looked up last.</summary>
    public DiskTrail Trail;

    public abstract void Dispose();
}
