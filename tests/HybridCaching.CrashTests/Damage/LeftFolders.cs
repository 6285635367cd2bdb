using HybridCaching.CrashTests.Child;

namespace HybridCaching.CrashTests.Damage;

/// <summary>Folders that processes have left, made once for the tests that damage copies of them: one closed cleanly, the same as it was a run earlier, one of another cache, and one whose process was killed.</summary>
public sealed class LeftFolders : IDisposable
{
    private const int Keys = 10_000;
    private const int Work = 1000;
    private const long Memory = 12 << 20;
    private const long Disk = 9 << 20;

    private readonly TestDirectory _older = new();
    private readonly Campaign _clean = new(CacheKind.Bytes, Amount.Seed, keys: Keys);
    private readonly Campaign _other = new(CacheKind.Bytes, Amount.Seed + 1, keys: Keys);
    private readonly Campaign _killed = new(CacheKind.Bytes, Amount.Seed + 2, keys: Keys);

    public LeftFolders()
    {
        _clean.RunToEnd(Plan);
        FolderCopy.Copy(_clean.Folder, Older);
        _clean.RunToEnd(Plan);
        _other.RunToEnd(Plan);
        _killed.RunToEnd(Plan);
        _killed.Run(static plan => Plan(plan) with { WorkMilliseconds = 60_000, Steward = StewardTask.Checkpoints }, static child =>
        {
            child.WaitFor(1, Output.Judged);
            Thread.Sleep(Work);
            child.Kill();
        });
        foreach (var campaign in new[] { _clean, _killed }) campaign.State.Header.ClockOffset += TimeSpan.TicksPerMinute; // nothing that is left shall expire while the tests run
        using var copy = CopyOf(FolderKind.Clean);
        (HitsOfClean, _) = copy.Judge();
        Assert.True(HitsOfClean > 1000, $"only {HitsOfClean} hits");
    }

    /// <summary>What is found in an undamaged copy.</summary>
    public long HitsOfClean { get; }

    /// <summary>The clean folder, a run earlier.</summary>
    public string Older => _older.Combine("folder");

    public string Other => _other.Folder;

    internal FolderCopy CopyOf(FolderKind kind)
    {
        var campaign = kind == FolderKind.Clean ? _clean : _killed;
        return new FolderCopy(campaign.Folder, campaign.State.Path, Plan(new ChildPlan { Directory = campaign.Folder, StateFile = campaign.State.Path }));
    }

    public void Dispose()
    {
        _clean.Dispose();
        _other.Dispose();
        _killed.Dispose();
        _older.Dispose();
    }

    private static ChildPlan Plan(ChildPlan plan) =>
        plan with { MemoryBudget = Memory, DiskBudget = Disk, DiskIo = DiskIo.Buffered, DiskWriteBudget = null, Steward = StewardTask.None, WorkMilliseconds = Work };
}
