using HybridCaching.Diagnostics;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Tiering;

/// <summary>Keys are changed between the moment in which the mover has judged and copied their records and that in which the index leads to the copies, or just after it.</summary>
[Collection(nameof(RunsAlone))]
public sealed class MovedMeanwhileTests : IDisposable
{
    private const string Copied = "move.written";
    private const string Led = "move.published";

    /// <summary>More than memory holds, less than the disk.</summary>
    private const int Fits = 400_000;

    /// <summary>The oldest keys, which are read on the disk, so that their records are worth a copy.</summary>
    private const int Moved = 500;

    private readonly TestDirectory _directory = new();

    public void Dispose()
    {
        Fault.Reached = null;
        _directory.Dispose();
    }

    [Theory]
    [InlineData(Copied)]
    [InlineData(Led)]
    public void Set_RecordIsBeingMoved_IsTheNewest(string at) => MustBe(
        at,
        static cache => cache.Fill(0, Moved, version: 2),
        static cache => Assert.True(cache.CountHits(0, Moved, version: 2) > 0));

    [Theory]
    [InlineData(Copied)]
    [InlineData(Led)]
    public void Remove_RecordIsBeingMoved_IsGone(string at) => MustBe(
        at,
        static cache =>
        {
            for (long key = 0; key < Moved; key++) cache.Remove(key);
        },
        static cache => Assert.Equal(0, cache.CountHits(0, Moved, version: 1)));

    [Theory]
    [InlineData(Copied)]
    [InlineData(Led)]
    public void Clear_RecordIsBeingMoved_IsGone(string at) => MustBe(
        at,
        static cache => cache.Clear(),
        static cache => Assert.Equal(0, cache.CountHits(0, Moved, version: 1)));

    /// <summary>Without the change they are found: it is they that are moved.</summary>
    [Fact]
    public void TryGet_RecordWasMoved_IsHit() => MustBe(Copied, static _ => { }, static cache => Assert.InRange(cache.CountHits(0, Moved, version: 1), Moved * 9 / 10, Moved));

    /// <summary>Changes the keys at a point of the mover's work, and judges what is there afterwards, also after a restart.</summary>
    private void MustBe(string at, Action<FasterCache<long, Stamp>> change, Action<FasterCache<long, Stamp>> judge)
    {
        using (var cache = Open())
        {
            cache.Fill(0, Fits, version: 1);
            Assert.InRange(cache.CountHits(0, Moved, version: 1), Moved * 9 / 10, Moved);
            bool isChanged = false;
            Fault.Reached = point =>
            {
                if (point != at || Volatile.Read(ref isChanged)) return;
                change(cache);
                Volatile.Write(ref isChanged, true);
            };
            for (long next = Fits; !Volatile.Read(ref isChanged); next += 100)
            {
                Assert.True(next < 10 * Fits, "records are moved");
                cache.Fill(next, 100, version: 1);
            }

            Fault.Reached = null;
            judge(cache);
        }

        using var again = Open();
        judge(again);
    }

    /// <summary>No copies in memory: what is on the disk is what is found.</summary>
    private FasterCache<long, Stamp> Open() => StampCache.Open(_directory.Path, change: static options =>
    {
        (options.MemoryBudget, options.DiskBudget, options.HotTierShare) = ("16MB", "64MB", 0);
        options.DiskTimeout = TimeSpan.FromSeconds(2); // who changes the keys is the mover, who cannot make room for himself
    });
}
