namespace HybridCaching.Store;

/// <summary>Is shown records of a log as they lie on the disk, one after the other.</summary>
internal interface IRecordSink
{
    /// <summary>Is told beforehand of a record that may be shown, as long before as memory takes to answer.</summary>
    /// <param name="hash">The hash of its key.</param>
    public void Expect(ulong hash);

    /// <summary>Looks at a record. Its bytes are gone afterwards.</summary>
    /// <param name="address">Where it lies.</param>
    /// <param name="hash">The hash of its key.</param>
    /// <param name="record">All its bytes.</param>
    /// <param name="owner">What all records of one value have in common, and those of no other: the owner of its pieces if it is in pieces, else the hash.</param>
    /// <param name="hasName">Whether its key is one that may come back; that of a piece of a long value never does.</param>
    public void Take(long address, ulong hash, ReadOnlySpan<byte> record, ulong owner, bool hasName);
}
