using HybridCaching.Configuration;

namespace HybridCaching.Store;

/// <summary>A log with a hash index: FasterKV, seen from outside the wall, and whatever its records are.</summary>
internal abstract class HybridLog : IDisposable
{
    /// <summary>The address behind the newest record.</summary>
    public abstract long TailAddress { get; }

    /// <summary>Where the part in memory begins.</summary>
    public abstract long HeadAddress { get; }

    /// <summary>Records before this address change no more, and their writes have ended, well or not.</summary>
    public abstract long FlushedUntilAddress { get; }

    /// <summary>Where the oldest record lies.</summary>
    public abstract long BeginAddress { get; }

    /// <summary>What this log has let go and the disk still holds; null if nothing is kept.</summary>
    public SettledLog? Settled { get; protected init; }

    /// <summary>The address of the newest record that may be of the key with this hash; 0 if there is none.</summary>
    public abstract long NewestInChain(ulong hash);

    /// <summary>Whether a record was neither dropped nor cleared.</summary>
    public abstract bool IsInUse(long address);

    /// <summary>Whether the oldest segment should be looked through and dropped soon, before writers have to wait for it.</summary>
    /// <param name="end">Where it ends.</param>
    public abstract bool IsReclaimDue(out long end);

    /// <summary>Bytes of the page that an address of this log, or beyond, lies in; no record lies across two.</summary>
    public abstract int PageBytesAt(long address);

    /// <summary>Where the page ends that an address of this log, or beyond, lies in.</summary>
    public long EndOfPage(long address)
    {
        int bytes = PageBytesAt(address);
        return (address / bytes * bytes) + bytes;
    }

    /// <summary>Bytes of index and overflow buckets.</summary>
    public abstract long IndexBytes { get; }

    /// <summary>Bytes of overflow buckets beyond the fixed ones; shortly before another page of them is taken, with that.</summary>
    public abstract long OverflowBytesAhead { get; }

    /// <summary>Bytes that a checkpoint of the index takes now.</summary>
    public abstract long IndexFileBytes { get; }

    /// <summary>Bytes of log pages, spare ones included.</summary>
    public abstract long LogBytes { get; }

    /// <summary>Bytes of memory that there is room for in the log, and nothing to fill them with yet.</summary>
    public abstract long UnusedBytes { get; }

    /// <summary>Bytes of the log's share of memory that it may not use: it is a part of the disk, and has that in memory already.</summary>
    public abstract long SpareBytes { get; }

    /// <summary>How much more memory the log would have to have for a record at an address to be in it; if it is less than zero, so much less would do.</summary>
    public abstract long BytesToHold(long address);

    /// <summary>The same for a record to be overwritten in place.</summary>
    public abstract long BytesToOverwrite(long address);

    /// <summary>Whether there is room for the mark of a removal, which may use a little more than other writes.</summary>
    public abstract bool HasRoomForRemoval { get; }

    /// <summary>How many bytes a session may store before it has to ask again; 0 without room. The log's tail is the most contended word there is: who asks every time waits for it twice.</summary>
    /// <param name="session">The session. What it was promised before is used.</param>
    /// <param name="needed">What it is about to store.</param>
    /// <remarks>What all sessions together may have been promised and not used lies in memory that is held back for it; for records longer than that, it is taken from the room that others find.</remarks>
    public abstract int RoomFor(LogSession session, int needed);

    /// <summary>Asks the processor to fetch what looking up this hash will need, wherever its record is.</summary>
    public abstract void Prefetch(ulong hash);

    /// <summary>As <see cref="Prefetch"/>, but only what is needed if the record is in memory. Who stores asks for the rest when it is not: the lines of a large index are not for nothing, even if nobody waits for them.</summary>
    public abstract void PrefetchForMemory(ulong hash);

    /// <summary>Bytes of the log's share of memory that others use. The pages leave with the next call of <see cref="HoldMemoryPlan"/>, or soon after.</summary>
    public abstract long LentBytes { get; set; }

    /// <summary>Asks the oldest pages in memory to leave, without waiting for the disk. Never call it inside an operation.</summary>
    /// <returns>Up to where records have to be dropped for the disk budget; 0 for nothing.</returns>
    public abstract long MakeRoom();

    /// <summary>Applies the memory plan again with the index as large as it is now: FASTER evicts only while somebody writes.</summary>
    public abstract void HoldMemoryPlan();

    /// <summary>Goes by another plan from now on: one with the same sizes of pages, segments and index. Pages leave as with <see cref="HoldMemoryPlan"/>, and what is too much on the disk as with <see cref="MakeRoom"/>.</summary>
    public abstract void Resize(MemoryPlan plan);

    /// <summary>After <see cref="Resize"/> the log may be longer on the disk than planned, as long as what it has let go is shorter by as much, until that was looked through. No more from now on.</summary>
    public abstract void GiveUpExcessRoom();

    /// <summary>Forgets everything before an address, but only whole pages, and only what has left memory, unless nobody uses the log any more. Segments before <see cref="BeginAddress"/> may then be removed.</summary>
    public abstract void DropBefore(long address, bool evenInMemory = false);

    /// <summary>Whether so many records were dropped that <see cref="CompactIndex"/> is worth the while.</summary>
    public abstract bool IsIndexLoose { get; }

    /// <summary>Gives back what the index does not need any more since records were dropped. One caller at a time.</summary>
    /// <param name="tryLock">Locks out the writers of all keys whose hash ends like its first argument, in the bits of the second; false if one of them is at work.</param>
    /// <param name="unlock">Ends that.</param>
    public abstract void CompactIndex(Func<ulong, ulong, bool> tryLock, Action<ulong, ulong> unlock);

    /// <summary>Records below this address were cleared: nobody sees them. Their space is freed by <see cref="DropBefore"/>. 0 when nothing was cleared.</summary>
    public abstract long ClearedBelow { get; set; }

    /// <summary>Hands everything in memory to the device and waits for it.</summary>
    public abstract void Flush();

    /// <summary>Has all that is in memory written out, and waits for nothing. What is there cannot be changed in place any more.</summary>
    public abstract void BeginFlush();

    /// <summary>Takes a checkpoint of index and log; false if FASTER would not.</summary>
    public abstract bool TakeCheckpoint();

    /// <summary>Opens the checkpoint that the checkpoint manager names.</summary>
    /// <exception cref="Exception">FASTER could not. The log is then of no use and must be disposed.</exception>
    public abstract void Recover(Guid token);

    /// <summary>Has an empty log begin at an address, the first of a segment. Before anything else is done with it.</summary>
    public abstract void BeginAt(long address);

    /// <summary>Segments of this log's share of the disk that settled records have as long as it is short: after it has begun anew.</summary>
    public abstract int LentSegments { get; }

    /// <summary>Lends so many segments, or as many as can be spared.</summary>
    public abstract void Lend(int segments);

    public abstract void Dispose();
}
