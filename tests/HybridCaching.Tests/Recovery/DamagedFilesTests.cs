using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Recovery;

/// <summary>Damage to what a restart relies on: cold, said once, never an exception, never a wrong value.</summary>
public sealed class DamagedFilesTests(CleanFolder clean) : IClassFixture<CleanFolder>, IDisposable
{
    private const string Manifest = "manifest";
    private const string Checksums = "checksums";
    private const string Index = "index-00000000";
    private const string FirstSegment = "first segment";
    private const string LastSegment = "last segment";

    private readonly TestDirectory _directory = new();
    private readonly CollectingLoggerFactory _log = new();

    public static TheoryData<string, string> FatalDamages { get; } = Combine(
        [Manifest, Checksums, Index],
        ["delete", "truncate to 0", "truncate to 1", "truncate to half", "truncate to half blocks", "garbage", "zeros", "flip first", "flip middle", "flip last"]);

    public static TheoryData<string, string> FatalLogDamages { get; } = new()
    {
        { LastSegment, "delete" },
        { LastSegment, "truncate to 0" },
        { LastSegment, "flip last" },
        { LastSegment, "garbage" },
        { LastSegment, "zeros" },
    };

    /// <summary>A last byte that was zero is no loss.</summary>
    public static TheoryData<string, string> OtherDamages { get; } = Combine(
        [Manifest, Checksums, Index, FirstSegment, LastSegment],
        ["append 1", "append 5000", "append 10 MB", "truncate by 1"]);

    public static TheoryData<int> ManifestPositions { get; } = new(Enumerable.Range(0, 26).Select(i => i * 40));

    [Theory]
    [MemberData(nameof(FatalDamages))]
    [MemberData(nameof(FatalLogDamages))]
    public void Open_WithoutWhatARestartNeeds_IsColdAndWarnsOnce(string file, string damage)
    {
        Damage(clean.CopyTo(_directory), file, damage);
        using var cache = StampCache.Open(_directory.Path, _log);

        Assert.Equal(0, CleanFolder.ShareOfHits(cache, step: 3));
        Assert.Equal(0, cache.GetStatistics().RecoveredEntries);
        Assert.Single(_log.Warnings);
    }

    [Theory]
    [InlineData("delete")]
    [InlineData("truncate to 0")]
    public void Open_WithoutASettledSegment_FindsTheRest(string damage)
    {
        Damage(clean.CopyTo(_directory), FirstSegment, damage);
        using var cache = StampCache.Open(_directory.Path, _log);

        Assert.InRange(CleanFolder.ShareOfHits(cache, step: 3), 0.85, 0.99);
        Assert.InRange(cache.GetStatistics().CorruptEntries, 1, long.MaxValue);
    }

    [Theory]
    [MemberData(nameof(OtherDamages))]
    public void Open_LengthsChanged_IsColdWithAWarningOrWarmWithout(string file, string damage)
    {
        Damage(clean.CopyTo(_directory), file, damage);
        using var cache = StampCache.Open(_directory.Path, _log);

        double hits = CleanFolder.ShareOfHits(cache, step: 3);

        Assert.True(hits is 0 or 1, $"{hits:P0} hits");
        Assert.Equal(hits == 0 ? 1 : 0, _log.Warnings.Count);
    }

    [Theory]
    [MemberData(nameof(ManifestPositions))]
    public void Open_ManifestByteFlipped_IsColdAndWarnsOnce(int permille)
    {
        string path = Path.Combine(clean.CopyTo(_directory), Manifest);
        byte[] bytes = File.ReadAllBytes(path);
        bytes[Math.Min(bytes.Length - 1, bytes.Length * permille / 1000)] ^= 1;
        File.WriteAllBytes(path, bytes);
        using var cache = StampCache.Open(_directory.Path, _log);

        Assert.Equal(0, CleanFolder.ShareOfHits(cache, step: 101));
        Assert.Single(_log.Warnings);
    }

    [Theory]
    [InlineData(Manifest)]
    [InlineData(Checksums)]
    [InlineData(Index)]
    public void Open_FileOfAnotherCache_IsColdAndWarnsOnce(string file)
    {
        string folder = clean.CopyTo(_directory);
        using var other = new CleanFolder();
        using var otherDirectory = new TestDirectory();
        File.Copy(Path.Combine(other.CopyTo(otherDirectory), file), Path.Combine(folder, file), overwrite: true);

        using var cache = StampCache.Open(_directory.Path, _log);

        Assert.Equal(0, CleanFolder.ShareOfHits(cache, step: 3));
        Assert.Single(_log.Warnings);
    }

    /// <summary>It is not read: memory for it might not be there.</summary>
    [Fact]
    public void Open_ChecksumsOfAGigabyte_IsColdAndTakesNoMemoryForThem()
    {
        using (var file = File.OpenWrite(Path.Combine(clean.CopyTo(_directory), Checksums))) file.SetLength(1 << 30);
        long allocated = GC.GetAllocatedBytesForCurrentThread();

        using var cache = StampCache.Open(_directory.Path, _log);

        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - allocated, 0, 100 << 20);
        Assert.Equal(0, CleanFolder.ShareOfHits(cache, step: 101));
        Assert.Single(_log.Warnings);
    }

    [Fact]
    public void Open_AfterColdStart_IsWarmWithWhatWasStoredSince()
    {
        Damage(clean.CopyTo(_directory), Manifest, "garbage");
        using (var cold = StampCache.Open(_directory.Path)) cold.Fill(0, 1000, version: 9);

        using var cache = StampCache.Open(_directory.Path, _log);

        Found.All(1000, cache.CountHits(0, CleanFolder.Entries, version: 9));
        Assert.Empty(_log.Warnings);
    }

    [Fact]
    public void Open_Cold_LeavesNoOldFiles()
    {
        string folder = clean.CopyTo(_directory);
        Damage(folder, Manifest, "garbage");

        using var cache = StampCache.Open(_directory.Path, _log);

        Assert.InRange(FolderSize.Of(folder), 0, 64 << 10);
    }

    [Theory]
    [InlineData(Manifest)]
    [InlineData(Checksums)]
    [InlineData(Index)]
    public void Open_DirectoryInPlaceOfAFile_WorksAndWarnsOnce(string file)
    {
        string folder = clean.CopyTo(_directory);
        string path = PathOf(folder, file);
        File.Delete(path);
        Directory.CreateDirectory(path);

        using var cache = StampCache.Open(_directory.Path, _log);

        Assert.Equal(0, CleanFolder.ShareOfHits(cache, step: 3));
        Assert.Single(_log.Warnings);
    }

    [Fact]
    public void Open_DirectoryInPlaceOfASettledSegment_FindsTheRest()
    {
        string path = PathOf(clean.CopyTo(_directory), FirstSegment);
        File.Delete(path);
        Directory.CreateDirectory(path);

        using var cache = StampCache.Open(_directory.Path, _log);

        Assert.InRange(CleanFolder.ShareOfHits(cache, step: 3), 0.85, 0.99);
    }

    public void Dispose() => _directory.Dispose();

    private static string PathOf(string folder, string file)
    {
        var segments = Directory.EnumerateFiles(folder, "log-*").Order().ToList();
        return file switch
        {
            FirstSegment => segments[0],
            LastSegment => segments[^1],
            _ => Path.Combine(folder, file),
        };
    }

    private static void Damage(string folder, string file, string damage)
    {
        string path = PathOf(folder, file);
        byte[] bytes = File.ReadAllBytes(path);
        int half = bytes.Length / 2;
        switch (damage)
        {
            case "delete": File.Delete(path); return;
            case "truncate to 0": bytes = []; break;
            case "truncate to 1": bytes = bytes[..1]; break;
            case "truncate to half": bytes = bytes[..(half | 1)]; break;
            case "truncate to half blocks": bytes = bytes[..(half & ~4095)]; break;
            case "truncate by 1": bytes = bytes[..^1]; break;
            case "append 1": bytes = [.. bytes, 1]; break;
            case "append 5000": bytes = [.. bytes, .. Garbage(5000)]; break;
            case "append 10 MB": bytes = [.. bytes, .. Garbage(10 << 20)]; break;
            case "garbage": bytes = Garbage(bytes.Length); break;
            case "zeros": bytes = new byte[bytes.Length]; break;
            case "flip first": bytes[0] ^= 4; break;
            case "flip middle": bytes[half] ^= 4; break;
            case "flip last": bytes[^1] ^= 4; break;
            default: throw new ArgumentException(damage);
        }

        File.WriteAllBytes(path, bytes);
    }

    private static byte[] Garbage(int length)
    {
        byte[] bytes = new byte[length];
        new Random(length).NextBytes(bytes);
        return bytes;
    }

    private static TheoryData<string, string> Combine(string[] files, string[] damages)
    {
        var rows = new TheoryData<string, string>();
        foreach (string file in files)
        {
            foreach (string damage in damages) rows.Add(file, damage);
        }

        return rows;
    }
}
