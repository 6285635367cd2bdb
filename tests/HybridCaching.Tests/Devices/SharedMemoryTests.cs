using HybridCaching.Devices;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Devices;

/// <summary>Memory that outlives the process, in a place where everybody may put files.</summary>
public sealed class SharedMemoryTests : IDisposable
{
    private const int Bytes = 64 << 10;

    /// <summary>Not one of those that caches look for.</summary>
    private readonly string _name = $"tests-{Guid.NewGuid():N}";

    public SharedMemoryTests()
    {
        if (!OperatingSystem.IsLinux()) Assert.Skip("This needs Linux.");
    }

    private string Path => System.IO.Path.Combine("/dev/shm", _name);

    [Fact]
    public void Open_InUse_Throws()
    {
        var memory = SharedMemory.Create(_name, Bytes);

        Assert.Throws<IOException>(() => SharedMemory.Open(_name));
        memory.Close();
    }

    [Fact]
    public unsafe void Open_ClosedBefore_FindsWhatWasStored()
    {
        var memory = SharedMemory.Create(_name, Bytes);
        memory.Start[Bytes - 1] = 7;
        memory.Close();

        memory = SharedMemory.Open(_name);

        Assert.Equal(7, memory.Start[memory.Bytes - 1]);
        memory.Close();
    }

    [Fact]
    public void Open_LookedAtMeanwhile_Waits()
    {
        SharedMemory.Create(_name, Bytes).Close();
        var look = new FileStream(Path, FileMode.Open, FileAccess.Read, FileShare.Read);
        SharedMemory? memory = null;
        Exception? failure = null;
        var thread = Crew.Start(() => failure = Record.Exception(() => memory = SharedMemory.Open(_name)));
        Until.True(() => (thread.ThreadState & (ThreadState.WaitSleepJoin | ThreadState.Stopped)) != 0, "it waits");

        look.Dispose();
        thread.Join();

        Assert.Null(failure);
        memory!.Close();
    }

    [Fact]
    public unsafe void Release_StillInUse_StoresNothingInWhatIsAnothers()
    {
        var former = SharedMemory.Create(_name, Bytes);
        former.Start[1] = 7;
        former.Release();
        var memory = SharedMemory.Open(_name);

        former.Start[1] = 9;

        Assert.Equal((7, 9), ((int)memory.Start[1], (int)former.Start[1]));
        memory.Close();
        GC.KeepAlive(former);
    }

    [Fact]
    public unsafe void Release_StillInUse_ReadsZeros()
    {
        var former = SharedMemory.Create(_name, Bytes);
        new Span<byte>(former.Start, Bytes).Fill(7);

        former.Release();

        Assert.False(new Span<byte>(former.Start, Bytes).ContainsAnyExcept((byte)0));
        GC.KeepAlive(former);
    }

    [Fact]
    public void Unlink_Released_LeavesIt()
    {
        var former = SharedMemory.Create(_name, Bytes);
        former.Release();

        former.Unlink();

        Assert.True(File.Exists(Path));
    }

    [Fact]
    public void TryReserve_Released_IsFalse()
    {
        var former = SharedMemory.Create(_name, Bytes);
        former.Release();

        Assert.False(former.TryReserve(0, Bytes));
    }

    [Fact]
    public void Delete_InUse_LeavesIt()
    {
        var memory = SharedMemory.Create(_name, Bytes);

        SharedMemory.Delete(_name);

        Assert.True(File.Exists(Path));
        memory.Close();
    }

    [Fact]
    public void Delete_NotInUse_DeletesIt()
    {
        SharedMemory.Create(_name, Bytes).Close();

        SharedMemory.Delete(_name);

        Assert.False(File.Exists(Path));
    }

    [Fact]
    public void Create_CannotBeReserved_LeavesNothing()
    {
        Assert.Throws<IOException>(() => SharedMemory.Create(_name, 1L << 60, (0, 1L << 60)));

        Assert.False(File.Exists(Path));
    }

    /// <summary>Whoever looks takes no lock: another may want it at the same moment.</summary>
    [Fact]
    public void ReadStart_InUse_ReadsIt()
    {
        var memory = SharedMemory.Create(_name, Bytes);

        Assert.Equal(4096, SharedMemory.ReadStart(_name, 4096).Length);
        memory.Close();
    }

    [Fact]
    public void ReadStart_Pipe_Throws()
    {
        Assert.True(Tool.TryRun("mkfifo", "-m", "600", Path), "mkfifo");

        Crew.MustEnd("ReadStart", () => Assert.Throws<IOException>(() => SharedMemory.ReadStart(_name, 4096)));
    }

    [Fact]
    public void ReadStart_OfAnotherUser_Throws()
    {
        GiveAway();

        Assert.Throws<IOException>(() => SharedMemory.ReadStart(_name, 4096));
    }

    [Fact]
    public void Open_OfAnotherUser_Throws()
    {
        GiveAway();

        Assert.Throws<IOException>(() => SharedMemory.Open(_name));
    }

    [Fact]
    public void Open_OthersMayRead_Throws()
    {
        SharedMemory.Create(_name, Bytes).Close();
        FileModes.Set(Path, FileModes.PrivateFile | UnixFileMode.OtherRead);

        Assert.Throws<IOException>(() => SharedMemory.Open(_name));
    }

    [Fact]
    public void Open_Link_Throws()
    {
        string target = $"{Path}-target";
        SharedMemory.Create(System.IO.Path.GetFileName(target), Bytes).Close();
        File.CreateSymbolicLink(Path, target);

        Assert.Throws<IOException>(() => SharedMemory.Open(_name));
        File.Delete(target);
    }

    public void Dispose() => File.Delete(Path);

    private void GiveAway()
    {
        SharedMemory.Create(_name, Bytes).Close();
        if (!Tool.TryRun("chown", "65534", Path)) Assert.Skip("This needs root.");
    }
}
