using HybridCaching.Devices;
using HybridCaching.Records;

namespace HybridCaching.Store;

/// <summary>Reads entries of one size from the disk.</summary>
internal abstract class EntryReader<TKey, TValue>(LogDevice? device, RecordRead read) : LogReader(device, read)
    where TKey : unmanaged
    where TValue : unmanaged
{
    /// <summary>Looks for a key on the disk, as far as no disk is needed.</summary>
    /// <param name="key">The key.</param>
    /// <param name="trail">Where the look-up goes on; moved along.</param>
    /// <param name="entry">The entry found: as it was stored, not yet judged.</param>
    /// <param name="found">Whether there is one.</param>
    /// <returns>False if the disk is needed: <see cref="LogReader.Post"/>, <see cref="LogReader.Wait"/>, then call it again.</returns>
    public abstract bool TryRead(in TKey key, ref DiskTrail trail, ref Entry<TValue> entry, out bool found);

    /// <summary>Reads the record at an address, whatever its key, as far as no disk is needed.</summary>
    /// <returns>False if the disk is needed, as for <see cref="TryRead"/>.</returns>
    public abstract bool TryReadAt(long address, out TKey key, ref Entry<TValue> entry, out bool isRecord);
}
