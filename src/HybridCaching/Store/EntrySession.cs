using HybridCaching.Records;

namespace HybridCaching.Store;

/// <summary>A session of a log of entries of one size.</summary>
internal abstract class EntrySession<TKey, TValue> : LogSession
    where TKey : unmanaged
    where TValue : unmanaged
{
    /// <summary>Begins a small batch of operations that enter the epoch once. Until <see cref="Release"/> nothing may be waited for, not even a row.</summary>
    public abstract void Hold();

    /// <summary>Ends a batch.</summary>
    public abstract void Release();

    /// <summary>Looks a key up in memory, and where on the disk it would lie. An entry found is as it was stored: not yet judged.</summary>
    public abstract Lookup Find(in TKey key, ulong hash, ref Entry<TValue> entry);

    /// <summary>As <see cref="Find"/>, but without the record's latch, which costs two writes to shared memory: if somebody changes the key meanwhile, the entry may be half the one and half the other. The caller knows by its row.</summary>
    public abstract Lookup FindUnlatched(in TKey key, ulong hash, ref Entry<TValue> entry);

    /// <summary>Reads the key of the record at an address, if it is in memory. What was not written yet may be any key.</summary>
    public abstract bool TryReadKey(long address, out TKey key);

    /// <summary>Looks on the disk, after <see cref="Find"/> said so, as far as no disk is needed.</summary>
    /// <returns>False if it is: a reader of the log can go on at <see cref="LogSession.Trail"/>, without this session.</returns>
    public abstract bool TryReadDisk(in TKey key, ref Entry<TValue> entry, out bool found);

    /// <summary>Stores an entry, in place if the newest one of the key may still be overwritten.</summary>
    /// <param name="key">The key.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="entry">The entry.</param>
    /// <param name="isAppended">Whether a record was appended.</param>
    /// <returns>True if the key was not in memory, so that one more record now stands for it.</returns>
    public abstract bool Upsert(in TKey key, ulong hash, ref Entry<TValue> entry, out bool isAppended);

    /// <summary>Stores an entry in place; if that may not be, removes what the log has of the key. Only if it could have been but for having been written out early, a record is appended: the next entry is stored in its place. Needs room for a record.</summary>
    /// <param name="key">The key.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="entry">The entry.</param>
    /// <param name="isAppended">Whether a record was appended.</param>
    /// <param name="wasInMemory">Whether the key was in memory.</param>
    /// <returns>True if the entry was not stored, and the log does not have the key now. What it has let go may.</returns>
    public abstract bool OverwriteOrRemove(in TKey key, ulong hash, ref Entry<TValue> entry, out bool isAppended, out bool wasInMemory);

    /// <summary>Removes a key. If it lies on the disk, a mark of the size of a record is appended.</summary>
    public abstract void Delete(in TKey key, ulong hash);
}
