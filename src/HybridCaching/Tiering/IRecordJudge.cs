using HybridCaching.Store;

namespace HybridCaching.Tiering;

/// <summary>Knows what the keys of FASTER's log stand for. For the one who has the right to move.</summary>
/// <remarks>A record that is being appended begins its key's chain before it is valid, and who follows the chain passes it by. So what is said without the lock of the key's row is a hint, and counts only if it is said again under that lock.</remarks>
internal interface IRecordJudge
{
    /// <summary>Shows some records in memory, as <see cref="LogSession.TryShowNewest"/>.</summary>
    public bool TryShow(ref long address, long end, INewestSink sink);

    /// <inheritdoc cref="LogSession.IsNewestInMemory"/>
    public bool? IsNewestInMemory(long address);

    /// <summary>Whether a record that has left memory is what its key stands for. Asks the disk.</summary>
    /// <param name="record">The record.</param>
    /// <param name="hash">The hash of its key.</param>
    /// <param name="address">Where it lies.</param>
    /// <param name="chain">Where the key's chain goes on on the disk: as long as it does so there, this holds.</param>
    public bool IsNewestOnDisk(ReadOnlySpan<byte> record, ulong hash, long address, out long chain);

    /// <summary>Where the chain of a record's key goes on on the disk; 0 if the key is in memory, or has no chain.</summary>
    public long ChainOnDisk(ReadOnlySpan<byte> record, ulong hash);
}
