namespace HybridCaching.CrashTests.Damage;

/// <summary>How the process ended that left a folder.</summary>
public enum FolderKind
{
    Clean,
    Killed,
}
