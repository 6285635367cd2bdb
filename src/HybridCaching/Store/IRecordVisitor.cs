namespace HybridCaching.Store;

/// <summary>Is shown records one after the other.</summary>
internal interface IRecordVisitor
{
    /// <summary>Looks at a record. In memory this happens inside the epoch: nothing may be waited for, and the bytes are gone afterwards.</summary>
    public void Visit(long address, in BytesRecord record);
}
