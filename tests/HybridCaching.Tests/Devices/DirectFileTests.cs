using HybridCaching.Devices;

namespace HybridCaching.Tests.Devices;

public sealed class DirectFileTests : IDisposable
{
    private readonly TestDirectory _directory = new();

    public DirectFileTests()
    {
        if (!OperatingSystem.IsLinux()) Assert.Skip("This needs Linux.");
    }

    /// <summary>That says nothing of what the file system can do.</summary>
    [Fact]
    public void TryOpen_CannotBeOpened_Throws() =>
        Assert.Equal(2, Assert.Throws<IOException>(() => DirectFile.TryOpen(_directory.Combine("none"))?.Dispose()).HResult); // ENOENT

    [Fact]
    public void TryOpen_FileSystemCannot_IsNull()
    {
        Assert.Null(DirectFile.TryOpen("/proc/self/oom_score_adj"));
    }

    public void Dispose() => _directory.Dispose();
}
