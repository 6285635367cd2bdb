using HybridCaching.Tests.Distributed;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Tiering;

/// <summary>A short settled record is read without what lies around it, as long as the system has it in memory: damage there does not matter.</summary>
public sealed class DamagedBlockTests : IDisposable
{
    private const int Entries = 250_000;
    private const int Block = 4096;

    /// <summary>The newest segments may still be written.</summary>
    private const int SegmentsLeftAlone = 3;

    private readonly TestDirectory _directory = new();
    private readonly ManualTimeProvider _housekeeping = new();
    private readonly int[] _keys = [.. Enumerable.Range(0, Entries)];

    public DamagedBlockTests() => new Random(1).Shuffle(_keys);

    [Fact]
    public void TryGet_ABitOfEveryBlockIsFlipped_FindsWhatIsWhole()
    {
        using var cache = StampCache.Open(_directory.Path, change: o => o.DiskBudget = "32MB", housekeeping: _housekeeping);
        cache.Fill(0, Entries, version: 1);
        _housekeeping.TickUntil(() => cache.Tiers.Settled!.Index.Count > Entries / 4, "a good part is settled");
        FlipABitOfEveryBlock(StampCache.FolderIn(_directory.Path));

        int hits = _keys.Sum(key => cache.CountHits(key, 1, version: 1));

        Assert.InRange(hits, Entries * 0.9, Entries - 1);
    }

    [Fact]
    public void Get_ABitOfEveryBlockIsFlipped_FindsWhatIsWhole()
    {
        using var cache = BytesCache.Open(_directory.Path, change: o => o.TypicalEntryBytes = "200B", housekeeping: _housekeeping);
        foreach (int key in _keys) cache.Set(BytesFolder.KeyOf(key), ShortValue(key), BytesCache.ForEver);
        _housekeeping.TickUntil(() => cache.Tiers.Settled!.Index.Count > Entries / 4, "a good part is settled");
        foreach (int key in _keys[..1000]) cache.Get(BytesFolder.KeyOf(key)); // it gets to know how short records are
        FlipABitOfEveryBlock(BytesCache.FolderIn(_directory.Path));

        int hits = _keys.Reverse().Count(key => cache.Get(BytesFolder.KeyOf(key)) is { } value && value.AsSpan().SequenceEqual(ShortValue(key)));

        Assert.InRange(hits, Entries * 0.4, Entries - 1); // a tenth without that
        Assert.Equal(hits + 1000, cache.GetStatistics().MemoryHits + cache.GetStatistics().DiskHits);
    }

    /// <summary>Who looks through a segment cannot read there that a key was removed: its older record must not come back for that.</summary>
    [Fact]
    public void Remove_ABitOfEveryBlockIsFlippedBeforeItIsLookedThrough_StaysRemoved()
    {
        const int Removed = 1000;
        using var cache = StampCache.Open(_directory.Path, change: static o => (o.DiskBudget, o.HotTierShare) = ("32MB", 0));
        cache.Fill(0, Entries, version: 1);
        for (long key = 0; key < Removed; key++) cache.Remove(key);
        cache.Fill(Entries, Entries, version: 1); // nor are they in memory, or in the newest segments
        cache.Tiers.Flush();
        FlipABitOfEveryBlock(StampCache.FolderIn(_directory.Path));

        cache.Fill(2 * Entries, 4 * Entries, version: 1);

        Assert.Equal(0, cache.CountHits(0, Removed, version: 1));
    }

    public void Dispose() => _directory.Dispose();

    private static byte[] ShortValue(int key) => BytesValue.Of(BytesFolder.KeyOf(key), 1, 100);

    private static void FlipABitOfEveryBlock(string folder)
    {
        var random = new Random(2);
        foreach (string segment in Directory.EnumerateFiles(folder, "log-*").Order().SkipLast(SegmentsLeftAlone))
        {
            using var file = new FileStream(segment, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite | FileShare.Delete);
            byte[] bytes = new byte[file.Length];
            file.ReadExactly(bytes);
            for (int block = 0; block < bytes.Length; block += Block) bytes[block + random.Next(Block)] ^= 1;
            file.Position = 0;
            file.Write(bytes);
        }
    }
}
