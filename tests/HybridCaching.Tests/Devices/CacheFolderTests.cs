using HybridCaching.Devices;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Devices;

public sealed class CacheFolderTests : IDisposable
{
    private readonly TestDirectory _directory = new();

    private string Path => _directory.Combine("cache");

    [Fact]
    public void Open_NoFolder_MakesAPrivateOne()
    {
        using var folder = CacheFolder.Open(Path);

        Assert.Equal(FileModes.PrivateFolder, FileModes.Of(Path));
    }

    [Fact]
    public void Open_NoParents_MakesThem()
    {
        using var folder = CacheFolder.Open(_directory.Combine("a/b/c"));

        Assert.True(Directory.Exists(_directory.Combine("a/b/c")));
    }

    /// <summary>Who waits for a checkpoint gives it up when the disk does nothing for a while.</summary>
    [Fact]
    public void Replace_LargeFile_ShowsThatItGetsOn()
    {
        using var folder = CacheFolder.Open(Path);
        var seen = new List<long>();

        folder.Replace("large", 3 * FlushedStream.PartBytes, stream =>
        {
            byte[] part = new byte[FlushedStream.PartBytes];
            for (int i = 0; i < 3; i++)
            {
                stream.Write(part);
                seen.Add(folder.Flushed);
            }
        });

        Assert.Equal([1, 2, 3], seen);
        Assert.Equal(3 * FlushedStream.PartBytes, folder.LengthOf("large"));
    }

    [Theory]
    [InlineData("")]
    [InlineData("/b")]
    [InlineData("/b/c")]
    public void Open_FileInThePath_SaysWhichItIs(string below)
    {
        string file = _directory.Combine("a");
        File.WriteAllText(file, "mine");

        Assert.Equal($"'{file}' is a file, not a directory", Assert.Throws<IOException>(() => CacheFolder.Open(file + below)).Message);
    }

    [Fact]
    public void Open_FolderOpenToOthers_ClosesIt()
    {
        Directory.CreateDirectory(Path);
        FileModes.Set(Path, FileModes.PublicFolder);

        using var folder = CacheFolder.Open(Path);

        Assert.Equal(FileModes.PrivateFolder, FileModes.Of(Path));
    }

    [Fact]
    public void Files_OfEveryKind_ArePrivate()
    {
        using var folder = CacheFolder.Open(Path);
        using var handle = folder.Open("log-00000000", create: true);
        folder.Replace("manifest", 1, static stream => stream.WriteByte(1));

        Assert.All(Directory.EnumerateFiles(Path), file => Assert.Equal(FileModes.PrivateFile, FileModes.Of(file)));
    }

    [Fact]
    public void Open_TakenByThisProcess_NamesPathAndProcess()
    {
        using var first = CacheFolder.Open(Path);

        var refusal = Assert.Throws<IOException>(() => CacheFolder.Open(Path));

        Assert.Contains(Path, refusal.Message, StringComparison.Ordinal);
        Assert.Contains($"process {Environment.ProcessId}", refusal.Message, StringComparison.Ordinal);
    }

    /// <summary>The first process of each container has the same number.</summary>
    [Fact]
    public void Open_TakenByTheSameNumberInAnotherContainer_DoesNotSayThatItIsThisProcess()
    {
        using var first = CacheFolder.Open(Path);
        File.WriteAllText(System.IO.Path.Combine(Path, "owner"), $"{Environment.ProcessId}\n{Guid.NewGuid():N}\n");

        Assert.Contains("another container", Assert.Throws<IOException>(() => CacheFolder.Open(Path)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Open_OwnerIsAPipe_IsRefusedAtOnce()
    {
        using var first = CacheFolder.Open(Path);
        ReplaceOwnerByPipe();

        Crew.MustEnd("Open", () => Assert.Throws<IOException>(() => CacheFolder.Open(Path)));
    }

    [Fact]
    public void IsStillThere_OwnerIsAPipe_ThrowsAtOnce()
    {
        using var folder = CacheFolder.Open(Path);
        ReplaceOwnerByPipe();

        Crew.MustEnd("IsStillThere", () => Assert.Throws<IOException>(() => folder.IsStillThere()));
    }

    /// <summary>On a disk that is full there would be no room for more.</summary>
    [Fact]
    public void Open_Again_TakesNoMoreOfTheDisk()
    {
        CacheFolder.Open(Path).Dispose();
        string[] files = [System.IO.Path.Combine(Path, "lock"), System.IO.Path.Combine(Path, "owner")];
        string former = File.ReadAllText(files[1]);

        using var again = CacheFolder.Open(Path);

        Assert.Equal([0L, former.Length], files.Select(file => new FileInfo(file).Length));
        Assert.NotEqual(former, File.ReadAllText(files[1]));
    }

    [Fact]
    public void Open_OwnerUnreadable_SaysAnotherProcess()
    {
        using var first = CacheFolder.Open(Path);
        File.Delete(System.IO.Path.Combine(Path, "owner"));

        Assert.Contains("another process", Assert.Throws<IOException>(() => CacheFolder.Open(Path)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Open_OwnerIsLongNonsense_SaysAnotherProcess()
    {
        using var first = CacheFolder.Open(Path);
        File.WriteAllText(System.IO.Path.Combine(Path, "owner"), new string('9', 5000));

        Assert.Contains("another process", Assert.Throws<IOException>(() => CacheFolder.Open(Path)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void IsStillThere_Untouched_IsTrue()
    {
        using var folder = CacheFolder.Open(Path);

        Assert.True(folder.IsStillThere());
    }

    [Fact]
    public void IsStillThere_Deleted_IsFalse()
    {
        using var folder = CacheFolder.Open(Path);
        Directory.Delete(Path, recursive: true);

        Assert.False(folder.IsStillThere());
    }

    /// <summary>By this very process, even: the process alone does not tell.</summary>
    [Fact]
    public void IsStillThere_AnotherInItsPlace_IsFalse()
    {
        using var folder = CacheFolder.Open(Path);
        Directory.Delete(Path, recursive: true);
        using var other = CacheFolder.Open(Path);

        Assert.False(folder.IsStillThere());
        Assert.True(other.IsStillThere());
    }

    [Fact]
    public void IsStillThere_FileInPlaceOfItsParent_IsFalse()
    {
        using var folder = CacheFolder.Open(_directory.Combine("parent/cache"));
        Directory.Delete(_directory.Combine("parent"), recursive: true);
        File.WriteAllText(_directory.Combine("parent"), "mine");

        Assert.False(folder.IsStillThere());
    }

    [Fact]
    public void Probe_FolderWorks_LeavesNothing()
    {
        using var folder = CacheFolder.Open(Path);

        folder.Probe();

        Assert.Equal(["lock", "owner"], Directory.EnumerateFileSystemEntries(Path).Select(System.IO.Path.GetFileName).Order());
    }

    [Fact]
    public void Probe_FolderDeleted_Throws()
    {
        using var folder = CacheFolder.Open(Path);
        Directory.Delete(Path, recursive: true);

        Assert.Throws<DirectoryNotFoundException>(folder.Probe);
    }

    [Fact]
    public void Probe_FullFileSystem_Throws()
    {
        using var mount = new MountedDirectory("16k");
        using var folder = CacheFolder.Open(System.IO.Path.Combine(mount.Path, "cache"));

        Assert.Equal(28, Assert.Throws<IOException>(folder.Probe).HResult); // ENOSPC
    }

    [Fact]
    public void Delete_FolderDeleted_DoesNothing()
    {
        using var folder = CacheFolder.Open(Path);
        Directory.Delete(Path, recursive: true);

        folder.Delete("log-00000000");
    }

    [Fact]
    public void Open_AfterDispose_Works()
    {
        CacheFolder.Open(Path).Dispose();

        using var again = CacheFolder.Open(Path);
    }

    [Fact]
    public void Open_Failed_LeavesNoLock()
    {
        Directory.CreateDirectory(System.IO.Path.Combine(Path, "owner"));
        Assert.ThrowsAny<Exception>(() => CacheFolder.Open(Path));
        Directory.Delete(System.IO.Path.Combine(Path, "owner"));

        using var again = CacheFolder.Open(Path);
    }

    [Fact]
    public void Open_StaleLockFile_Works()
    {
        Directory.CreateDirectory(Path);
        File.WriteAllText(System.IO.Path.Combine(Path, "lock"), "4194304\n");
        File.WriteAllText(System.IO.Path.Combine(Path, "owner"), "4194304\n");

        using var folder = CacheFolder.Open(Path);
    }

    [Fact]
    public void Open_FileInItsPlace_IsRefused()
    {
        File.WriteAllText(Path, "mine");

        Assert.Contains(Path, Assert.Throws<IOException>(() => CacheFolder.Open(Path)).Message, StringComparison.Ordinal);
        Assert.Equal("mine", File.ReadAllText(Path));
    }

    [Fact]
    public void Open_SymbolicLinkInItsPlace_IsRefused()
    {
        Directory.CreateDirectory(_directory.Combine("elsewhere"));
        Directory.CreateSymbolicLink(Path, _directory.Combine("elsewhere"));

        Assert.Contains("symbolic link", Assert.Throws<IOException>(() => CacheFolder.Open(Path)).Message, StringComparison.Ordinal);
        Assert.Empty(Directory.EnumerateFileSystemEntries(_directory.Combine("elsewhere")));
    }

    [Fact]
    public void Open_DanglingSymbolicLinkInItsPlace_IsRefused()
    {
        Directory.CreateSymbolicLink(Path, _directory.Combine("nowhere"));

        Assert.Throws<IOException>(() => CacheFolder.Open(Path));
        Assert.False(Directory.Exists(_directory.Combine("nowhere")));
    }

    /// <summary>A directory that others could write to before it was ours may hold links to files that are not in it.</summary>
    [Theory]
    [InlineData("lock")]
    [InlineData("owner")]
    public void Open_SymbolicLinkInPlaceOfAFile_DoesNotWriteThroughIt(string name)
    {
        string outside = _directory.Combine("outside");
        File.WriteAllText(outside, "precious");
        Directory.CreateDirectory(Path);
        File.CreateSymbolicLink(System.IO.Path.Combine(Path, name), outside);

        OpenIfPossible()?.Dispose();

        Assert.Equal("precious", File.ReadAllText(outside));
    }

    [Fact]
    public void OpenFile_SymbolicLinkInItsPlace_DoesNotWriteThroughIt()
    {
        string outside = _directory.Combine("outside");
        File.WriteAllText(outside, "precious");
        using var folder = CacheFolder.Open(Path);
        File.CreateSymbolicLink(System.IO.Path.Combine(Path, "log-00000000"), outside);

        try
        {
            using var handle = folder.Open("log-00000000", create: true);
            RandomAccess.Write(handle!, "spoilt!!"u8, 0);
        }
        catch (IOException)
        {
            // To refuse is fine.
        }

        Assert.Equal("precious", File.ReadAllText(outside));
    }

    [Fact]
    public void Replace_SymbolicLinkInPlaceOfTheTemporaryFile_DoesNotWriteThroughIt()
    {
        string outside = _directory.Combine("outside");
        File.WriteAllText(outside, "precious");
        using var folder = CacheFolder.Open(Path);
        File.CreateSymbolicLink(System.IO.Path.Combine(Path, "manifest.tmp"), outside);

        try
        {
            folder.Replace("manifest", 1, static stream => stream.WriteByte(1));
        }
        catch (IOException)
        {
            // To refuse is fine.
        }

        Assert.Equal("precious", File.ReadAllText(outside));
    }

    [Fact]
    public void Open_DirectoryInPlaceOfTheLock_IsRefusedAsDocumented()
    {
        Directory.CreateDirectory(System.IO.Path.Combine(Path, "lock"));

        Assert.Null(OpenIfPossible());
    }

    [Fact]
    public void Open_ReadOnlyFileSystem_IsRefusedAsDocumented()
    {
        using var mount = new MountedDirectory();
        mount.MakeReadOnly();

        var refusal = Assert.ThrowsAny<Exception>(() => CacheFolder.Open(System.IO.Path.Combine(mount.Path, "cache")));

        Assert.True(refusal is IOException or UnauthorizedAccessException, refusal.ToString());
        Assert.Contains(mount.Path, refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Open_ExistingFolderOnReadOnlyFileSystem_IsRefusedAsDocumented()
    {
        using var mount = new MountedDirectory();
        string path = System.IO.Path.Combine(mount.Path, "cache");
        CacheFolder.Open(path).Dispose();
        mount.MakeReadOnly();

        var refusal = Assert.ThrowsAny<Exception>(() => CacheFolder.Open(path));

        Assert.True(refusal is IOException or UnauthorizedAccessException, refusal.ToString());
        Assert.Contains(path, refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Replace_Failing_LeavesTheOldFile()
    {
        using var folder = CacheFolder.Open(Path);
        folder.Replace("manifest", 3, static stream => stream.Write("old"u8));

        Assert.Throws<IOException>(() => folder.Replace("manifest", 3, static stream =>
        {
            stream.Write("ne"u8);
            throw new IOException("no space");
        }));

        Assert.Equal("old"u8.ToArray(), folder.ReadAll("manifest", 100));
    }

    [Fact]
    public void ReadAll_LongerThanTheMaximum_IsNull()
    {
        using var folder = CacheFolder.Open(Path);
        folder.Replace("manifest", 101, static stream => stream.Write(new byte[101]));

        Assert.Null(folder.ReadAll("manifest", 100));
    }

    public void Dispose() => _directory.Dispose();

    private CacheFolder? OpenIfPossible()
    {
        try
        {
            return CacheFolder.Open(Path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    private void ReplaceOwnerByPipe()
    {
        string owner = System.IO.Path.Combine(Path, "owner");
        File.Delete(owner);
        Tool.MakePipe(owner);
    }
}
