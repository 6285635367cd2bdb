using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Recovery;

/// <summary>What a cache takes from the process it gives back. Runs alone: the numbers are the process's.</summary>
[Collection(nameof(RunsAlone))]
public sealed class ResourceLeakTests : IDisposable
{
    private readonly TestDirectory _directory = new();

    public ResourceLeakTests() => Assert.SkipUnless(Directory.Exists("/proc/self/fd"), "This needs Linux.");

    private int OpenFiles => Directory.EnumerateFileSystemEntries("/proc/self/fd").Count(f => TargetOf(f).StartsWith(_directory.Path, StringComparison.Ordinal));

    [Fact]
    public void Open_Cache_IsSeenByTheseTests()
    {
        int before = CacheThreads();
        using var cache = StampCache.Open(_directory.Path);
        cache.Set(1, Stamp.Of(1, 1));

        Assert.True(CacheThreads() > before);
        Assert.NotEqual(0, OpenFiles);
    }

    [Fact]
    public void Dispose_WarmRestarts_LeavesNoFileOpen()
    {
        Restart(30);

        Assert.Equal(0, OpenFiles);
    }

    [Fact]
    public void Dispose_WarmRestarts_LeavesNoThread()
    {
        Restart(3);
        int before = CacheThreads();

        Restart(30);

        Until.True(() => CacheThreads() <= before, "no more threads of caches than before");
    }

    [Fact]
    public void Dispose_ColdStarts_LeavesNoThreadAndNoFile()
    {
        Restart(1);
        int before = CacheThreads();
        for (int i = 0; i < 10; i++)
        {
            File.Delete(Path.Combine(StampCache.FolderIn(_directory.Path), "manifest"));
            Restart(1);
        }

        Until.True(() => CacheThreads() <= before, "no more threads of caches than before");
        Assert.Equal(0, OpenFiles);
    }

    [Fact]
    public void Open_Refused_LeavesNoThreadAndNoFile()
    {
        int before = CacheThreads();
        File.WriteAllText(StampCache.FolderIn(_directory.Path), "in its place");
        for (int i = 0; i < 10; i++) Assert.Throws<IOException>(() => StampCache.Open(_directory.Path, change: o => o.WhenDirectoryUnavailable = DirectoryUnavailable.Throw));

        Until.True(() => CacheThreads() <= before, "no more threads of caches than before");
        Assert.Equal(0, OpenFiles);
    }

    public void Dispose() => _directory.Dispose();

    private static int CacheThreads() => Directory.EnumerateDirectories("/proc/self/task").Select(NameOf).Count(n => n.StartsWith(StampCache.Name, StringComparison.Ordinal) || n.StartsWith("index-io", StringComparison.Ordinal));

    private static string TargetOf(string handle)
    {
        try
        {
            return File.ResolveLinkTarget(handle, returnFinalTarget: false)?.FullName ?? "";
        }
        catch (IOException)
        {
            return ""; // closed since it was listed
        }
    }

    private static string NameOf(string task)
    {
        try
        {
            return File.ReadAllText(Path.Combine(task, "comm"));
        }
        catch (IOException)
        {
            return "";
        }
    }

    private void Restart(int times)
    {
        for (int i = 0; i < times; i++)
        {
            using var cache = StampCache.Open(_directory.Path);
            cache.Fill(i * 100, 100, version: 1);
            cache.CountHits(0, 100, version: 1);
        }
    }
}
