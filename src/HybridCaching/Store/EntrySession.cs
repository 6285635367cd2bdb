using HybridCaching.Records;

namespace HybridCaching.Store;

/// <summary>One owner's access to the log. Not thread-safe: whoever rented it from the pool uses it alone, and returns it with nothing pending.</summary>
internal abstract class EntrySession<TKey, TValue> : IDisposable
    where TKey : unmanaged
    where TValue : unmanaged
{
    /// <summary>The slot of the pool this session belongs to; -1 for a spare.</summary>
    public int Home { get; set; } = -1;

    /// <summary>Counts of the operations done with this session. Written by its owner only.</summary>
    public SessionCounters Counters;

    /// <summary>Looks a key up. An entry found is as it was stored: not yet judged.</summary>
    public abstract Lookup Read(in TKey key, ref Entry<TValue> entry);

    /// <summary>Looks a key up in memory only; <see cref="Lookup.Pending"/> says that the disk would have to be read, and that nothing is pending.</summary>
    public abstract Lookup ReadMemory(in TKey key, ref Entry<TValue> entry);

    /// <summary>Ends a pending look-up if the disk has answered.</summary>
    public abstract bool TryComplete(ref Entry<TValue> entry, out bool found);

    /// <summary>Waits until it may be worth calling <see cref="TryComplete"/>; false when the time is over.</summary>
    public abstract bool Wait(TimeSpan timeout);

    /// <inheritdoc cref="Wait"/>
    public abstract Task<bool> WaitAsync(TimeSpan timeout, CancellationToken cancellationToken);

    /// <summary>Stores an entry; true if the key was not in memory, so that one more record now stands for it.</summary>
    public abstract bool Upsert(in TKey key, ref Entry<TValue> entry);

    /// <summary>Removes a key.</summary>
    public abstract void Delete(in TKey key);

    public abstract void Dispose();
}
