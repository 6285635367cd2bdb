namespace HybridCaching.SoakTests;

/// <summary>What the process and the cache took at one moment.</summary>
/// <param name="At">Since the run began.</param>
/// <param name="Tenth">Which tenth of the operations was going on; zero while warming up.</param>
/// <param name="Resident">Memory of the process, beyond what it had before there was the cache.</param>
/// <param name="Memory">Memory of the cache, by its own account.</param>
/// <param name="Disk">Blocks or lengths of the files in the cache's folder, whichever is more.</param>
/// <param name="Handles">Open files of the process.</param>
/// <param name="Written">Bytes written to the disk since the cache was opened.</param>
internal readonly record struct Sample(TimeSpan At, int Tenth, long Resident, long Memory, long Disk, int Handles, long Written);
