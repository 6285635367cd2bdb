namespace HybridCaching.CrashTests.Child;

/// <summary>How far an operation on many keys has come.</summary>
internal enum SharedPhase : long
{
    None,
    ClearBegun,
    ClearOver,
    CheckpointBegun,
    CheckpointOver,
}
