using System.Runtime.CompilerServices;

namespace HybridCaching.CrashTests;

/// <summary>Where the tests of the default suite have their folders: in memory, if there is such a file system. To a killed process it is the same as a disk, and it does not wait for what else the disk has to do.</summary>
internal static class TemporaryFolder
{
    private const string InMemory = "/dev/shm";

    [ModuleInitializer]
    internal static void Choose()
    {
        if (!Amount.IsLong && OperatingSystem.IsLinux() && Directory.Exists(InMemory)) Environment.SetEnvironmentVariable("TMPDIR", InMemory);
    }
}
