namespace HybridCaching.CrashTests.Damage;

/// <summary>Every file of a folder, damaged in every way: the start is quick, and nothing wrong or outdated is found.</summary>
[Trait("Category", "Crash")]
public sealed class DamageTests(LeftFolders folders) : IClassFixture<LeftFolders>
{
    private const double HealthyShare = 0.85;

    /// <summary>A cache whose disk is full may drop some while it is read.</summary>
    private const double UndamagedShare = 0.95;
    private const int SegmentOneIn = 10;

    private static readonly string[] MostTelling = ["delete", "truncate to half", "flip a bit per block", "take the older one"];

    public static TheoryData<FolderKind, string, string> Cases { get; } = AllCases();

    [Theory]
    [MemberData(nameof(Cases))]
    public void Open_FileDamaged_FindsNothingWrong(FolderKind kind, string file, string damage)
    {
        using var copy = folders.CopyOf(kind);
        string? path = FolderFile.Find(copy.Folder, file);
        Assert.SkipWhen(path is null && kind == FolderKind.Killed, "a process that was killed leaves none");
        Assert.NotNull(path);
        FileDamage.Do(path, damage, FolderFile.Find(folders.Older, file), FolderFile.Find(folders.Other, file), new Random(Amount.Seed));

        var (hits, statistics) = copy.Judge();

        bool isCold = statistics.RecoveredEntries == 0;
        Assert.InRange(copy.Log.Warnings.Count, isCold ? 1 : 0, 2);
        if (kind == FolderKind.Clean && hits < UndamagedShare * folders.HitsOfClean) Assert.True(isCold || statistics.CorruptEntries > 0, $"{hits} of {folders.HitsOfClean} found, and no damage counted");
    }

    /// <summary>Below what a start replays a damaged block is a miss, and nothing else goes.</summary>
    [Fact]
    public void Open_OneSegmentOfTenRandom_KeepsTheOthers()
    {
        using var copy = folders.CopyOf(FolderKind.Clean);
        string[] segments = [.. Directory.EnumerateFiles(copy.Folder, "log-*").Order(StringComparer.Ordinal).SkipLast(1), .. Directory.EnumerateFiles(copy.Folder, "main-*").Order(StringComparer.Ordinal)];
        foreach (string segment in segments.Where(static (_, i) => i % SegmentOneIn == SegmentOneIn / 2)) FileDamage.Do(segment, "random", null, null, new Random(Amount.Seed));

        var (hits, statistics) = copy.Judge();

        Assert.InRange(hits, HealthyShare * folders.HitsOfClean, folders.HitsOfClean / UndamagedShare);
        Assert.InRange(statistics.CorruptEntries, 1, long.MaxValue);
    }

    [Theory]
    [InlineData("log-99999999")]
    [InlineData("main-00099999")]
    [InlineData("log-00000001.bak")]
    [InlineData("manifest.tmp")]
    [InlineData("settled.tmp")]
    [InlineData("index-00000001")]
    public void Open_FileOfAStrangerThere_FindsAll(string name)
    {
        using var copy = folders.CopyOf(FolderKind.Clean);
        File.WriteAllBytes(Path.Combine(copy.Folder, name), new byte[100_000]);

        var (hits, _) = copy.Judge();

        Assert.InRange(hits, UndamagedShare * folders.HitsOfClean, folders.HitsOfClean / UndamagedShare);
    }

    /// <summary>After a kill only a few where every start after one is cold.</summary>
    private static TheoryData<FolderKind, string, string> AllCases()
    {
        var cases = new TheoryData<FolderKind, string, string>();
        foreach (string file in FolderFile.All)
        {
            foreach (string damage in FileDamage.All) cases.Add(FolderKind.Clean, file, damage);
            foreach (string damage in Promises.IsWarmAfterKill ? FileDamage.All : MostTelling) cases.Add(FolderKind.Killed, file, damage);
        }

        return cases;
    }
}
