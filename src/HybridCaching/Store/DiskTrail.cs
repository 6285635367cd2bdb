namespace HybridCaching.Store;

/// <summary>Where the look-up of a key goes on on the disk: along its chain in FASTER's log, then from one settled record that may be its to the next.</summary>
internal struct DiskTrail
{
    /// <summary>In the order of the log.</summary>
    public static IComparer<DiskTrail> ByAddress { get; } = Comparer<DiskTrail>.Create(static (a, b) => a.Address.CompareTo(b.Address));

    /// <summary>The key's hash.</summary>
    public ulong Hash;

    /// <summary>Where to look next, or where the record was found; 0 for nowhere.</summary>
    public long Address;

    /// <summary>How many places of the index of settled records were looked at; 0 as long as the chain is followed.</summary>
    public int Place;

    /// <summary>How that index was when it was first looked at: if it is another way now, a record, or the word that leads to it, may have been moved away under the look-up.</summary>
    public long View;

    /// <summary>How often the index was looked through.</summary>
    public int Rounds;

    /// <summary>Whether the address is that of a record in a chain.</summary>
    public readonly bool IsInChain => Place == 0;

    public DiskTrail(ulong hash, long address)
    {
        Hash = hash;
        Address = address;
    }
}
