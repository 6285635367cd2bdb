using HybridCaching.Records;

namespace HybridCaching.Store;

/// <summary>Looks for a key in the part of the log that is on the disk. Not thread-safe; uses neither FASTER nor its epoch, so it may wait.</summary>
internal abstract class EntryReader<TKey, TValue>
    where TKey : unmanaged
    where TValue : unmanaged
{
    /// <summary>Counts of the operations done with this reader. Written by its owner only.</summary>
    public SessionCounters Counters;

    /// <summary>Follows the chain of a key on the disk, as far as no disk is needed.</summary>
    /// <param name="key">The key.</param>
    /// <param name="address">Where the chain goes on; moved along.</param>
    /// <param name="entry">The entry found: as it was stored, not yet judged.</param>
    /// <param name="found">Whether there is one.</param>
    /// <returns>False if the disk is needed: <see cref="Post"/>, <see cref="Wait"/>, then call it again.</returns>
    public abstract bool TryRead(in TKey key, ref long address, ref Entry<TValue> entry, out bool found);

    /// <summary>Reads the record at an address, whatever its key, as far as no disk is needed.</summary>
    /// <returns>False if the disk is needed, as for <see cref="TryRead"/>.</returns>
    public abstract bool TryReadAt(long address, out TKey key, ref Entry<TValue> entry, out bool isRecord);

    /// <summary>Has the disk asked for what <see cref="TryRead"/> stopped at.</summary>
    public abstract void Post();

    /// <summary>Waits for the disk; false when the time is over. The reader then has to be given up with <see cref="TryAbandon"/>.</summary>
    public abstract bool Wait(TimeSpan timeout);

    /// <inheritdoc cref="Wait"/>
    public abstract Task<bool> WaitAsync(TimeSpan timeout, CancellationToken cancellationToken);

    /// <summary>Gives up a read that was posted. True if it has ended meanwhile; else <paramref name="ended"/> is called when it does, on a thread of the device.</summary>
    public abstract bool TryAbandon(Action<EntryReader<TKey, TValue>> ended);
}
