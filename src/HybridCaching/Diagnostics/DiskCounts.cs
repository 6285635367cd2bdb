namespace HybridCaching.Diagnostics;

/// <summary>What has happened at a disk since it was opened.</summary>
/// <param name="Reads">Reads, those that failed included.</param>
/// <param name="Writes">Writes, those that failed included.</param>
/// <param name="ReadErrors">Reads that failed.</param>
/// <param name="WriteErrors">Writes that failed.</param>
/// <param name="Damaged">Records and blocks that were not what had been written.</param>
/// <param name="ReadsEnded">Reads that have ended; null while none is waited for.</param>
/// <param name="WritesEnded">Writes that have ended; null while none is waited for.</param>
/// <param name="LastError">What the disk said last.</param>
internal readonly record struct DiskCounts(long Reads, long Writes, long ReadErrors, long WriteErrors, long Damaged, long? ReadsEnded, long? WritesEnded, string? LastError);
