using HybridCaching.Devices;
using HybridCaching.Diagnostics;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Tiering;

/// <summary>How a cache looks after its folder while it is open: what makes it give the folder up, what does not, and how it gets it back.</summary>
public sealed class FolderWatchTests : IDisposable
{
    private readonly TestDirectory _directory = new();
    private readonly CollectingLoggerFactory _log = new();
    private readonly ManualTimeProvider _housekeeping = new();
    private readonly FasterCache<long, Stamp> _cache;

    public FolderWatchTests() => _cache = StampCache.Open(_directory.Path, _log, housekeeping: _housekeeping);

    private string Folder => StampCache.FolderIn(_directory.Path);

    private LogDevice Device => _cache.Tiers.Device!;

    [Fact]
    public void Folder_DeletedWhileNobodyCalls_IsMadeAnew()
    {
        _cache.Fill(0, 60_000, version: 1);
        DeleteFolder();

        TickUntil(() => Said(nameof(Log.DirectoryTakenOver)) == 1, "the folder is taken over");

        Assert.True(Device.IsAttached);
        Assert.True(File.Exists(Path.Combine(Folder, "lock")));
    }

    /// <summary>From when nothing is on its way to the disk any more: until the loss is seen, what comes then lands in the other's files, and is found not to be theirs.</summary>
    [Fact]
    public async Task Folder_DeletedAndTakenByAnother_IsLeftToIt()
    {
        _cache.Fill(0, 60_000, version: 1);
        await _cache.FlushAsync(TestContext.Current.CancellationToken);
        DeleteFolder();
        using var other = StampCache.Open(_directory.Path);
        other.Fill(0, 60_000, version: 2);

        TickUntil(() => _cache.GetStatistics().DiskUnavailableReason?.Contains("in use", StringComparison.Ordinal) == true, "the folder is given up");
        _cache.Fill(0, 60_000, version: 3);

        Assert.InRange(other.CountHits(0, 60_000, version: 2), 59_990, 60_000);
    }

    [Fact]
    public void Get_FolderDeleted_IsNeverTheOlder()
    {
        _cache.Fill(0, 60_000, version: 1);
        DeleteFolder();
        TickUntil(() => Said(nameof(Log.DirectoryTakenOver)) == 1, "the folder is taken over");
        _cache.Fill(0, 30_000, version: 2);

        Assert.InRange(_cache.CountHits(0, 30_000, version: 2), 25_000, 30_000);
        _cache.CountHits(30_000, 30_000, version: 1);
    }

    [Fact]
    public void Restart_FolderDeletedAndMadeAnew_IsWarmWithWhatCameLater()
    {
        _cache.Fill(0, 60_000, version: 1);
        DeleteFolder();
        TickUntil(() => Said(nameof(Log.DirectoryTakenOver)) == 1, "the folder is taken over");
        _cache.Fill(0, 30_000, version: 2);
        _cache.Dispose();

        using var again = StampCache.Open(_directory.Path);

        Found.All(30_000, again.CountHits(0, 30_000, version: 2));
        again.CountHits(30_000, 30_000, version: 1);
    }

    [Fact]
    public void Folder_FilesOfOthersCome_IsKept()
    {
        _cache.Fill(0, 60_000, version: 1);
        foreach (string name in (string[])["log-99999999", "log-00000001.bak", "probe", "index-00000000", "manifest", "checksums.tmp", "readme.txt"]) File.WriteAllText(Path.Combine(Folder, name), "mine");
        Directory.CreateDirectory(Path.Combine(Folder, "log-00000500"));

        Ticks(100);
        _cache.Fill(0, 60_000, version: 2);

        Assert.InRange(_cache.CountHits(0, 60_000, version: 2), 59_990, 60_000);
        Assert.Empty(_log.Warnings);
    }

    [Fact]
    public void Restart_FilesOfOthersCame_AnswersNothingWrong()
    {
        _cache.Fill(0, 60_000, version: 1);
        foreach (string name in (string[])["log-99999999", "probe", "index-00000000", "manifest", "manifest.tmp", "checksums"]) File.WriteAllText(Path.Combine(Folder, name), "mine");
        _cache.Dispose();

        using var again = StampCache.Open(_directory.Path);

        Assert.InRange(again.CountHits(0, 60_000, version: 1), 59_990, 60_000);
    }

    /// <summary>All fails, then all works, and nobody asks the disk for anything: a probe does.</summary>
    [Fact]
    public void Trouble_CauseEndsAndNobodyCalls_IsOver()
    {
        Device.Fault = static r => r.Kind == IoKind.Write && r.Segment > 0;
        _cache.Fill(0, 60_000, version: 1);
        TickUntil(() => _cache.GetStatistics().DiskTroubleReason is not null, "the trouble is seen");
        Device.Fault = null;

        TickUntil(() => _cache.GetStatistics().DiskTroubleReason is null, "the trouble is over");

        Assert.Equal((1, 1), (Said(nameof(Log.DiskInTrouble)), Said(nameof(Log.DiskWorksAgain))));
        Assert.Equal(0, Said(nameof(Log.DirectoryUnavailable)));
    }

    [Fact]
    public void Folder_EverythingFails_IsGivenUpAndTakenOver()
    {
        Device.Fault = static _ => true;
        _cache.Fill(0, 60_000, version: 1);
        TickUntil(() => !Device.IsAttached, "the folder is given up");
        Assert.Contains("injected fault", _cache.GetStatistics().DiskUnavailableReason, StringComparison.Ordinal);
        Device.Fault = null;
        TickUntil(() => _cache.GetStatistics() is { DiskUnavailableReason: null, DiskTroubleReason: null }, "the folder is taken over");
        _cache.Fill(0, 60_000, version: 2);

        Assert.InRange(_cache.CountHits(0, 60_000, version: 2), 59_990, 60_000);
        Assert.InRange(_cache.GetStatistics().DiskHits, 1, long.MaxValue);
    }

    /// <summary>As an operator needs who wants to unmount the disk.</summary>
    [Fact]
    public void Folder_GivenUp_HasNoFilesOpen()
    {
        if (!OperatingSystem.IsLinux()) Assert.Skip("Only Linux tells which files are open.");
        _cache.Fill(0, 60_000, version: 1);
        Assert.NotEmpty(OpenFiles());
        Device.Fault = static _ => true;
        _cache.Fill(0, 60_000, version: 2);

        TickUntil(() => !Device.IsAttached && OpenFiles().Count == 0, "the files are closed");
    }

    /// <summary>Full, or over its quota; the process has too many files open. What is there can still be read.</summary>
    [Theory]
    [InlineData(28)]
    [InlineData(122)]
    [InlineData(24)]
    public void Folder_ErrorThatOpenFilesDoNotMind_IsKept(int error)
    {
        Device.Fault = r => r.Kind == IoKind.Write ? throw new IOException("no", error) : false;
        _cache.Fill(0, 60_000, version: 1);
        TickUntil(() => _cache.GetStatistics().DiskTroubleReason is not null, "the trouble is seen");

        Ticks(200);

        Assert.True(Device.IsAttached);
        Device.Fault = null;
    }

    /// <summary>One that fails as soon as it is used again must not flood the log either.</summary>
    [Fact]
    public void Log_FolderLostAgainAndAgain_IsOneMessageAMinute()
    {
        int losses = 0;
        while (losses < 3)
        {
            DeleteFolder();
            TickUntil(() => Directory.Exists(Folder) && _cache.GetStatistics().DiskUnavailableReason is null, "the folder is lost and taken over");
            losses++;
        }

        Assert.InRange(Said(nameof(Log.DirectoryUnavailable)), 1, 2);
    }

    [Fact]
    public void Write_Hangs_IsGivenUpSoThatTheLogGoesOn()
    {
        using var gate = new DiskGate(Device, IoKind.Write);
        gate.Close();
        var writer = Crew.Start(() => _cache.Fill(0, 200_000, version: 1));

        TickUntil(() => !writer.IsAlive, "everything is stored");
        Assert.True(gate.IsClosed);
        Assert.Equal(0, _cache.GetStatistics().DroppedWrites);
        Found.All(1000, _cache.CountHits(199_000, 1000, version: 1));
        Assert.Equal(0, _cache.CountHits(0, 1000, version: 1));
    }

    [Fact]
    public void Write_HungAndGoesOn_ReachesTheDiskAgain()
    {
        using (var gate = new DiskGate(Device, IoKind.Write))
        {
            gate.Close();
            var writer = Crew.Start(() => _cache.Fill(0, 60_000, version: 1));
            TickUntil(() => !writer.IsAlive, "everything is stored");
        }

        TickUntil(() => _cache.GetStatistics().DiskTroubleReason is null, "the disk works again");
        _cache.Fill(0, 60_000, version: 2);

        Assert.InRange(_cache.CountHits(0, 60_000, version: 2), 59_990, 60_000);
    }

    public void Dispose()
    {
        _cache.Dispose();
        _directory.Dispose();
    }

    /// <summary>At once: a file that the cache is creating in it would make a deletion bit by bit fail.</summary>
    private void DeleteFolder()
    {
        string aside = _directory.Combine("deleted");
        Directory.Move(Folder, aside);
        Directory.Delete(aside, recursive: true);
    }

    private void Ticks(int count) => TickUntil(() => --count < 0, "so many ticks");

    private void TickUntil(Func<bool> condition, string what) => _housekeeping.TickUntil(condition, what);

    private int Said(string message) => _log.Entries.Count(e => e.Id.Name == message);

    private List<string> OpenFiles() =>
        [.. Directory.EnumerateFiles("/proc/self/fd").Select(static f => new FileInfo(f).LinkTarget ?? "").Where(target => target.StartsWith(Folder, StringComparison.Ordinal))];
}
