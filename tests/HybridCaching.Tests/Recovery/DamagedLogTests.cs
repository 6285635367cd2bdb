using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Recovery;

/// <summary>Damage inside the log, where there is no end to check: warm, misses where the damage is, and a count.</summary>
public sealed class DamagedLogTests(CleanFolder clean) : IClassFixture<CleanFolder>, IDisposable
{
    private const int Block = 4096;

    private readonly TestDirectory _directory = new();
    private readonly CollectingLoggerFactory _log = new();

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void Get_OneBlockOf40Flipped_KeepsTheHealthy(int seed)
    {
        FlipSomeBlocks(clean.CopyTo(_directory), oneOf: 40, seed);
        using var cache = StampCache.Open(_directory.Path, _log);

        Assert.InRange(CleanFolder.ShareOfHits(cache), 0.9, 1);
    }

    /// <summary>FASTER recovers whole pages, each of which would be lost for one of its blocks.</summary>
    [Fact]
    public void Get_OneBlockOf40FlippedOfWhatMemoryHolds_KeepsTheHealthy()
    {
        using (var cache = OpenInMemory()) cache.Fill(0, CleanFolder.Entries, version: 1);
        FlipSomeBlocks(StampCache.FolderIn(_directory.Path), oneOf: 40, seed: 8);
        using var again = OpenInMemory();

        Assert.InRange(again.CountHits(0, CleanFolder.Entries, version: 1), CleanFolder.Entries * 0.95, CleanFolder.Entries * 0.99);

        FasterCache<long, Stamp> OpenInMemory() => StampCache.Open(_directory.Path, change: o => o.MemoryBudget = "32MB");
    }

    [Fact]
    public void Get_OneBlockOf40Flipped_CountsDamage()
    {
        FlipSomeBlocks(clean.CopyTo(_directory), oneOf: 40, seed: 4);
        using var cache = StampCache.Open(_directory.Path, _log);
        CleanFolder.ShareOfHits(cache);

        Assert.InRange(cache.GetStatistics().CorruptEntries, 1, long.MaxValue);
    }

    /// <summary>A record over the edge of a damaged block has its link, but no key any more: the link must not lead to the version before.</summary>
    [Fact]
    public void Get_OverwrittenEntriesBesideDamage_AreNeverTheOlder()
    {
        const int Keys = 5000;
        using (var cache = StampCache.Open(_directory.Path))
        {
            cache.Fill(0, Keys, version: 1);
            cache.Fill(Keys, CleanFolder.Entries, version: 1);
            cache.Fill(0, Keys, version: 2);
            cache.Fill(Keys, CleanFolder.Entries, version: 2);
        }

        FlipEveryOtherBlock(StampCache.FolderIn(_directory.Path));
        using var again = StampCache.Open(_directory.Path);

        Assert.InRange(again.CountHits(0, Keys, version: 2), Keys / 4, Keys);
    }

    [Fact]
    public void Get_RemovedEntriesBesideDamage_StayRemoved()
    {
        const int Keys = 5000;
        using (var cache = StampCache.Open(_directory.Path))
        {
            cache.Fill(0, Keys, version: 1);
            cache.Fill(Keys, CleanFolder.Entries, version: 1);
            for (long key = 0; key < Keys; key++) cache.Remove(key);
            cache.Fill(Keys, CleanFolder.Entries, version: 2);
        }

        FlipEveryOtherBlock(StampCache.FolderIn(_directory.Path));
        using var again = StampCache.Open(_directory.Path);

        Assert.Equal(0, again.CountHits(0, Keys, version: 1));
    }

    [Fact]
    public void Get_EveryBlockFlippedButTheLast_AnswersNothingWrong()
    {
        FlipSomeBlocks(clean.CopyTo(_directory), oneOf: 1, seed: 5);
        using var cache = StampCache.Open(_directory.Path, _log);

        Assert.InRange(CleanFolder.ShareOfHits(cache), 0, 0.5); // some records are read by themselves, and are whole
    }

    [Fact]
    public void Get_BlocksSwapped_AnswersNothingWrong()
    {
        string segment = SegmentsIn(clean.CopyTo(_directory))[1];
        byte[] bytes = File.ReadAllBytes(segment);
        File.WriteAllBytes(segment, [.. bytes[Block..(2 * Block)], .. bytes[..Block], .. bytes[(2 * Block)..]]);
        using var cache = StampCache.Open(_directory.Path, _log);

        Assert.InRange(CleanFolder.ShareOfHits(cache), 0.9, 1);
    }

    [Fact]
    public void Get_SegmentsSwapped_AnswersNothingWrong()
    {
        var segments = SegmentsIn(clean.CopyTo(_directory));
        byte[] first = File.ReadAllBytes(segments[0]);
        File.WriteAllBytes(segments[0], File.ReadAllBytes(segments[1]));
        File.WriteAllBytes(segments[1], first);
        using var cache = StampCache.Open(_directory.Path, _log);

        CleanFolder.ShareOfHits(cache);
    }

    [Fact]
    public void Get_SegmentOfAnotherCache_AnswersNothingWrong()
    {
        using var other = new CleanFolder();
        using var otherDirectory = new TestDirectory();
        var others = SegmentsIn(other.CopyTo(otherDirectory));
        var segments = SegmentsIn(clean.CopyTo(_directory));
        File.Copy(others[2], segments[2], overwrite: true);
        using var cache = StampCache.Open(_directory.Path, _log);

        CleanFolder.ShareOfHits(cache);
    }

    [Fact]
    public void Get_SegmentOfAnEarlierRun_AnswersNothingOld()
    {
        string folder = clean.CopyTo(_directory);
        byte[] old = File.ReadAllBytes(SegmentsIn(folder)[^1]);
        string name = SegmentsIn(folder)[^1];
        using (var newer = StampCache.Open(_directory.Path)) newer.Fill(0, CleanFolder.Entries, version: 3);
        byte[] now = File.ReadAllBytes(name);
        old.CopyTo(now, 0);
        File.WriteAllBytes(name, now);

        using var cache = StampCache.Open(_directory.Path, _log);

        Assert.InRange(cache.CountHits(0, CleanFolder.Entries, version: 3), CleanFolder.Entries * 0.9, CleanFolder.Entries);
    }

    [Fact]
    public void Get_MiddleSegmentTruncated_KeepsTheHealthy()
    {
        var segments = SegmentsIn(clean.CopyTo(_directory));
        string middle = segments[segments.Count / 2];
        byte[] bytes = File.ReadAllBytes(middle);
        File.WriteAllBytes(middle, bytes[..(bytes.Length / 2)]);
        using var cache = StampCache.Open(_directory.Path, _log);

        double lost = bytes.Length / 2.0 / segments.Sum(s => new FileInfo(s).Length);
        Assert.InRange(CleanFolder.ShareOfHits(cache), (1 - lost) * 0.9, 1);
    }

    [Fact]
    public void Set_OverDamagedEntries_HealsThem()
    {
        FlipSomeBlocks(clean.CopyTo(_directory), oneOf: 2, seed: 6);
        using var cache = StampCache.Open(_directory.Path, _log);

        cache.Fill(0, CleanFolder.Entries, version: 3);

        Assert.InRange(cache.CountHits(0, CleanFolder.Entries, version: 3), CleanFolder.Entries - 5, CleanFolder.Entries); // whoever removes an outdated word takes another key's along now and then
    }

    [Fact]
    public void Remove_DamagedEntries_NeverBringsThemBack()
    {
        FlipSomeBlocks(clean.CopyTo(_directory), oneOf: 2, seed: 7);
        using (var cache = StampCache.Open(_directory.Path))
        {
            for (long key = 0; key < CleanFolder.Entries; key++) cache.Remove(key);
        }

        using var again = StampCache.Open(_directory.Path, _log);

        Assert.Equal(0, CleanFolder.ShareOfHits(again));
    }

    public void Dispose() => _directory.Dispose();

    private static List<string> SegmentsIn(string folder) => [.. Directory.EnumerateFiles(folder, "log-*").Order()];

    /// <summary>Flips a bit in some blocks, in none of the last two of the log: a damaged end is a cold start.</summary>
    private static void FlipSomeBlocks(string folder, int oneOf, int seed)
    {
        var random = new Random(seed);
        FlipBlocks(folder, random, _ => random.Next(oneOf) == 0);
    }

    private static void FlipEveryOtherBlock(string folder) => FlipBlocks(folder, new Random(1), block => block % 2 != 0);

    private static void FlipBlocks(string folder, Random random, Func<int, bool> isChosen)
    {
        var segments = SegmentsIn(folder);
        foreach (string segment in segments)
        {
            byte[] bytes = File.ReadAllBytes(segment);
            int end = segment == segments[^1] ? bytes.Length - (2 * Block) : bytes.Length;
            for (int block = 0; block < end; block += Block)
            {
                if (isChosen(block / Block)) bytes[block + random.Next(Block)] ^= (byte)(1 << random.Next(8));
            }

            File.WriteAllBytes(segment, bytes);
        }
    }
}
