using HybridCaching.Configuration;
using HybridCaching.Devices;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Devices;

/// <summary>What processes leave in memory that outlives them.</summary>
public sealed class LiveStateTests : IDisposable
{
    private readonly TestDirectory _directory = new();
    private readonly string _file = $"/dev/shm/hybridcaching-{Guid.NewGuid():N}";

    public LiveStateTests()
    {
        if (!OperatingSystem.IsLinux()) Assert.Skip("This needs Linux.");
    }

    /// <summary>A process was killed before it had said what the file is.</summary>
    [Theory]
    [InlineData(0)]
    [InlineData(8192)]
    public void DeleteLeft_NotFinishedLongAgo_IsDeleted(int bytes)
    {
        Leave(new byte[bytes], TimeSpan.FromMinutes(2));

        DeleteLeft();

        Assert.False(File.Exists(_file));
    }

    /// <summary>While it is looked whose folder it is, on a disk that hangs, the cache outdates its checkpoint, and is killed.</summary>
    [Fact]
    public void DeleteLeft_CheckpointOutdatedMeanwhile_MarkStays()
    {
        var state = NewState(out _);
        var checkpoint = Guid.NewGuid();

        LiveState.DeleteLeft((_, name) =>
        {
            if (name != state.Name) return true;
            state.OutdatedCheckpoint = checkpoint;
            state.Release();
            return false;
        });

        Assert.True(LiveState.IsOutdated(checkpoint, state.Name));
        LiveState.Delete(state.Name);
    }

    [Fact]
    public void DeleteLeft_JustBegun_Stays()
    {
        Leave(new byte[8192], TimeSpan.Zero);

        DeleteLeft();

        Assert.True(File.Exists(_file));
    }

    [Fact]
    public void DeleteLeft_NotFinishedButInUse_Stays()
    {
        Leave(new byte[8192], TimeSpan.FromMinutes(2));
        using var use = new FileStream(_file, FileMode.Open, FileAccess.ReadWrite, FileShare.None);

        DeleteLeft();

        Assert.True(File.Exists(_file));
    }

    /// <summary>It may be one of another version.</summary>
    [Fact]
    public void DeleteLeft_SomethingElse_Stays()
    {
        byte[] other = new byte[8192];
        other[0] = 1;
        Leave(other, TimeSpan.FromMinutes(2));

        DeleteLeft();

        Assert.True(File.Exists(_file));
    }

    [Fact]
    public void DeleteLeft_FolderOnADiskThatHangs_IsNotWaitedFor()
    {
        using var disk = new ManualResetEventSlim();
        var state = NewState(out string? problem);

        Crew.MustEnd("DeleteLeft", () => LiveState.DeleteLeft((_, _) => disk.Wait(Until.Deadline) || true, TimeSpan.Zero));

        Assert.Null(problem);
        disk.Set();
        state.Forgo();
        state.Release();
    }

    /// <summary>A cache that was made smaller keeps the addresses of the tables it had.</summary>
    [Fact]
    public void CreateShared_TablesThatMayTakeLessThanTheirAddresses_TakesThat()
    {
        var table = new TableSize(4096, 2);

        var state = LiveState.CreateShared(_directory.Path, segmentBytes: 1 << 20, segments: 1, [table, table], noteBytes: 0, out _);

        Assert.Equal(2 * table.ReservedBytes, state.TableBytes);
        Assert.InRange(FolderSampler.SizeOf($"/dev/shm/hybridcaching-{state.Name:N}").Allocated, 2 * table.Bytes, (2 * table.Bytes) + (64 << 10));
        state.Forgo();
        state.Release();
    }

    [Fact]
    public void Delete_Released_IsGone()
    {
        var state = NewState(out _);
        string file = $"/dev/shm/hybridcaching-{state.Name:N}";
        Assert.True(File.Exists(file));
        state.Release();

        LiveState.Delete(state.Name);

        Assert.False(File.Exists(file));
    }

    /// <summary>It may say that a checkpoint counts no more.</summary>
    [Fact]
    public void IsOutdated_CannotBeRead_IsTrue()
    {
        var checkpoint = Guid.NewGuid();
        var state = NewState(out _);
        state.Release();
        Assert.False(LiveState.IsOutdated(checkpoint, state.Name));

        FileModes.Set($"/dev/shm/hybridcaching-{state.Name:N}", FileModes.PrivateFile | UnixFileMode.OtherRead);

        Assert.True(LiveState.IsOutdated(checkpoint, state.Name));
        File.Delete($"/dev/shm/hybridcaching-{state.Name:N}");
    }

    [Fact]
    public void Forgo_NoCheckpoint_LeavesNothing()
    {
        var state = NewState(out _);

        state.Forgo();

        Assert.False(File.Exists($"/dev/shm/hybridcaching-{state.Name:N}"));
        state.Release();
    }

    public void Dispose()
    {
        File.Delete(_file);
        _directory.Dispose();
    }

    private LiveState NewState(out string? problem) =>
        LiveState.CreateShared(_directory.Path, segmentBytes: 1 << 20, segments: 1, [new TableSize(4, TableSize.MostGroups)], noteBytes: 0, out problem);

    /// <summary>All that have a folder keep it: they are of tests that run at the same time.</summary>
    private static void DeleteLeft() => LiveState.DeleteLeft(static (_, _) => true);

    private void Leave(byte[] bytes, TimeSpan age)
    {
        File.WriteAllBytes(_file, bytes);
        FileModes.Set(_file, FileModes.PrivateFile);
        File.SetLastWriteTimeUtc(_file, (DateTimeOffset.UtcNow - age).UtcDateTime);
    }
}
