namespace HybridCaching.Store;

/// <summary>Is shown records in memory that are what their keys stand for, unless a newer one is being appended. This happens inside the epoch: nothing may be waited for, and the bytes are gone afterwards.</summary>
internal interface INewestSink
{
    /// <summary>Looks at a record.</summary>
    /// <param name="address">Where it lies.</param>
    /// <param name="hash">The hash of its key.</param>
    /// <param name="record">All its bytes.</param>
    /// <param name="owner">As for <see cref="IRecordSink.Take"/>.</param>
    /// <param name="hasName">Whether its key is one that may come back; that of a piece of a long value never does.</param>
    /// <returns>False to stop before this record.</returns>
    public bool TryTake(long address, ulong hash, ReadOnlySpan<byte> record, ulong owner, bool hasName);
}
