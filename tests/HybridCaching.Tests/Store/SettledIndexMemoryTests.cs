using System.Collections.Immutable;
using HybridCaching.Configuration;
using HybridCaching.Devices;
using HybridCaching.Store;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Store;

/// <summary>The memory that outlives the process takes no more of the system than what is in use of it.</summary>
public sealed class SettledIndexMemoryTests : IDisposable
{
    private const long First = 1L << 48;
    private const int Columns = 4096;
    private const long Fixed = 256 << 10;

    private static readonly ImmutableArray<TableSize> One = [new TableSize(Columns, TableSize.MostGroups)];

    private readonly LiveState _state = LiveState.CreateShared("/no/folder", MemoryPlan.BlockBytes, segments: 0, One, noteBytes: 0, out _);
    private readonly SettledIndex _index;

    public SettledIndexMemoryTests()
    {
        Assert.SkipUnless(_state.IsShared, "there is no memory that outlives a process here");
        _index = new SettledIndex(One, First, _state, firstGroups: 1);
        _index.Main.Tail = First + (1L << 40);
    }

    [Fact]
    public void New_OneGroup_TakesThatOfTheSystem() => Assert.InRange(Allocated, One[0].GroupBytes, One[0].GroupBytes + Fixed);

    [Fact]
    public void BeginGrowth_AnotherGroup_IsTakenOfTheSystemBeforeItIsWrittenTo()
    {
        long before = Allocated;

        _index.BeginGrowth();

        Assert.InRange(Allocated - before, One[0].GroupBytes - MemoryPlan.BlockBytes, One[0].GroupBytes + MemoryPlan.BlockBytes);
        Assert.False(_index.IsGrowthRefused);
    }

    [Fact]
    public void Reserve_MoreThanTheSystemHas_IsAnError()
    {
        using var directory = new TestDirectory();
        string file = Path.Combine(directory.Path, "file");
        using var handle = File.OpenHandle(file, FileMode.CreateNew, FileAccess.ReadWrite);

        Assert.NotEqual(0, VirtualMemory.Reserve(handle, 0, 1L << 60));
    }

    public void Dispose() => _state.Forgo();

    private long Allocated => FolderSampler.SizeOf($"/dev/shm/hybridcaching-{_state.Name:N}").Allocated;
}
