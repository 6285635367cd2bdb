namespace HybridCaching.Diagnostics;

/// <summary>How a disk tier does, as a number for a gauge.</summary>
internal enum DiskState
{
    Off = 0,
    Degraded = 1,
    Ok = 2,
}
