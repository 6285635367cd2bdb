namespace HybridCaching.Devices;

/// <summary>What a thread of the device takes first.</summary>
internal enum IoUrgency
{
    /// <summary>What the mover writes: it waits for that, and writers, sooner or later, for the mover.</summary>
    Soonest,
    Usual,

    /// <summary>Deletions: a large file takes a while, and whoever needs its place deletes it himself.</summary>
    WhenIdle,
}
