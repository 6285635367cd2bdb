using HybridCaching.Devices;
using HybridCaching.Diagnostics;
using HybridCaching.Tests.Support;
using HybridCaching.Tiering;

namespace HybridCaching.Tests.Tiering;

/// <summary>A cache is closed while it takes its folder over again, of which it deletes all that is there.</summary>
[Collection(nameof(RunsAlone))]
public sealed class TakeOverTests : IDisposable
{
    private readonly TestDirectory _directory = new();
    private readonly ManualTimeProvider _housekeeping = new();

    [Fact]
    public void Dispose_WhileTheFolderIsWiped_NobodyElseHasItUntilThatIsOver()
    {
        using var cache = StampCache.Open(_directory.Path, housekeeping: _housekeeping);
        string folder = StampCache.FolderIn(_directory.Path);
        bool? isTaken = null;
        Fault.Reached = point =>
        {
            if (point != "takeover.folder-taken" || isTaken is not null) return;
            cache.Dispose();
            isTaken = !CanOpen(folder);
        };
        Directory.Delete(folder, recursive: true);

        Until.True(
            () =>
            {
                if (isTaken is null) _housekeeping.Advance(Housekeeper.Tick);
                return isTaken is not null;
            },
            "the folder is taken over");

        Assert.True(isTaken);
        Until.True(() => CanOpen(folder), "the folder is free");
    }

    public void Dispose()
    {
        Fault.Reached = null;
        _directory.Dispose();
    }

    private static bool CanOpen(string folder)
    {
        try
        {
            CacheFolder.Open(folder).Dispose();
            return true;
        }
        catch (IOException)
        {
            return false;
        }
    }
}
