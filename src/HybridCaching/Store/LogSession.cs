using System.Runtime.CompilerServices;
using HybridCaching.Configuration;

namespace HybridCaching.Store;

/// <summary>One owner's access to a log. Not thread-safe: whoever rented it from the pool uses it alone. Nothing is waited for while it is out.</summary>
internal abstract class LogSession : IDisposable
{
    /// <summary>What was promised for the long record that is being stored with this session.</summary>
    private int _promisedBytes;
    private PromisedRoom? _promised;

    /// <summary>The slot of the pool this session belongs to.</summary>
    public int Home { get; set; }

    /// <summary>How many bytes may be stored with this session before room in the log is looked for again; see <see cref="HybridLog.RoomFor"/>.</summary>
    public int RoomCredit;

    /// <summary>Counts of the operations done with this session. Written by its owner only.</summary>
    public SessionCounters Counters;

    /// <summary>Where on the disk the look-up of the key goes on that was looked up last.</summary>
    public DiskTrail Trail;

    /// <summary>Where the record in memory is that the last look-up found, or that was the newest of its key when it was set; if there was none, where the chain went on; 0 after a removal.</summary>
    public long FoundAddress;

    /// <summary>So many records are looked at in one stay in the epoch.</summary>
    protected const int RecordsPerStay = 256;

    /// <summary>Takes room for one long record out of what others may be promised, until <see cref="Redeem"/>.</summary>
    /// <param name="promised">What others are promised.</param>
    /// <param name="bytes">How long the record is.</param>
    /// <returns>How much is promised to all sessions together.</returns>
    public long Promise(PromisedRoom promised, int bytes)
    {
        Redeem();
        _promised = promised;
        _promisedBytes = bytes * MemoryPlan.RoomPerLongRecord;
        return promised.Add(_promisedBytes);
    }

    /// <summary>What was promised is used, or not needed any more.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Redeem()
    {
        if (_promisedBytes != 0) GiveBack();
    }

    private void GiveBack()
    {
        _promised!.Add(-_promisedBytes);
        _promisedBytes = 0;
    }

    /// <summary>Shows the records from one address to another, of one page, that are whole and alive and what their keys stand for; some of them, as long as they are in memory.</summary>
    /// <param name="address">Where to begin, and then where to go on.</param>
    /// <param name="end">Where to end.</param>
    /// <param name="now">When a record is alive.</param>
    /// <param name="sink">Is shown the records.</param>
    /// <returns>False if the sink has stopped at a record.</returns>
    public abstract bool TryShowNewest(ref long address, long end, DateTimeOffset now, INewestSink sink);

    /// <summary>Whether a record is what its key stands for, whose row the caller has locked: only then no newer one is being appended.</summary>
    /// <returns>Null if it has left memory.</returns>
    public abstract bool? IsNewestInMemory(long address);

    public abstract void Dispose();
}
