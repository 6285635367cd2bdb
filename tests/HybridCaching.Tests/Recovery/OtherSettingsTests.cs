using HybridCaching.Devices;
using HybridCaching.Recovery;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Recovery;

/// <summary>A folder that was written with other settings or types: cold, said once, and never a wrong value.</summary>
public sealed class OtherSettingsTests(CleanFolder clean) : IClassFixture<CleanFolder>, IDisposable
{
    private readonly TestDirectory _directory = new();
    private readonly CollectingLoggerFactory _log = new();

    [Fact]
    public void Open_OtherSchemaVersion_IsCold() => AssertCold(o => o.SchemaVersion = 1);

    [Fact]
    public void Open_OtherSchemaVersion_WarnsOnce() => AssertWarnsOnce(o => o.SchemaVersion = 1, "SchemaVersion");

    [Fact]
    public void Open_OtherSchemaVersionAndBack_IsColdBothTimes()
    {
        clean.CopyTo(_directory);
        StampCache.Open(_directory.Path, _log, o => o.SchemaVersion = 1).Dispose();

        using var cache = StampCache.Open(_directory.Path, _log);

        Assert.Equal(0, CleanFolder.ShareOfHits(cache));
        Assert.Equal(2, _log.Warnings.Count);
    }

    [Fact]
    public void Open_ValueWithAnotherFieldName_IsCold() => AssertOtherTypesAreCold<long, StampWithOtherName>();

    [Fact]
    public void Open_ValueWithAnotherFieldType_IsCold() => AssertOtherTypesAreCold<long, StampWithOtherType>();

    [Fact]
    public void Open_ValueWithFieldsSwapped_IsCold() => AssertOtherTypesAreCold<long, StampWithOtherOrder>();

    [Fact]
    public void Open_KeyOfAnotherType_IsCold() => AssertOtherTypesAreCold<ulong, Stamp>();

    /// <summary>Cold or warm, but no exception, at most one warning, and never a wrong value.</summary>
    [Theory]
    [InlineData("24MB", "16MB")]
    [InlineData("13MB", "16MB")]
    [InlineData("200MB", "16MB")]
    [InlineData("12MB", "8MB")]
    [InlineData("12MB", "14MB")]
    [InlineData("12MB", "17MB")]
    [InlineData("12MB", "64MB")]
    [InlineData("128MB", "1GB")]
    public void Open_OtherBudgets_AnswersNothingWrong(string memory, string disk)
    {
        clean.CopyTo(_directory);
        using var cache = StampCache.Open(_directory.Path, _log, o => (o.MemoryBudget, o.DiskBudget) = (memory, disk));

        double hits = CleanFolder.ShareOfHits(cache);

        Assert.Equal(hits == 0 ? 1 : 0, _log.Warnings.Count);
    }

    [Theory]
    [InlineData("24MB", "16MB")]
    [InlineData("13MB", "16MB")]
    [InlineData("12MB", "14MB")]
    [InlineData("12MB", "8MB")]
    public void Open_OtherBudgets_KeepsThem(string memory, string disk)
    {
        string folder = clean.CopyTo(_directory);
        using (var cache = StampCache.Open(_directory.Path, _log, o => (o.MemoryBudget, o.DiskBudget) = (memory, disk)))
        {
            cache.Fill(CleanFolder.Entries, CleanFolder.Entries, version: 1);
            Until.True(() => cache.GetMemoryUsage().Total <= cache.GetMemoryUsage().Budget, "the memory budget holds");
        }

        Assert.InRange(FolderSize.Of(folder), 1, ((ByteSize)disk).Bytes);
    }

    /// <summary>Another version may write another manifest: more fields, fewer, none.</summary>
    [Theory]
    [InlineData("{\"Format\":2}")]
    [InlineData("{\"Format\":99,\"Fingerprint\":null,\"HashSecret\":null}")]
    [InlineData("{}")]
    [InlineData("null")]
    [InlineData("[]")]
    [InlineData("7")]
    [InlineData("\"x\"")]
    [InlineData("{")]
    [InlineData(" ")]
    public void Open_ManifestOfAnotherFormat_IsColdAndWarnsOnce(string json)
    {
        string folder = clean.CopyTo(_directory);
        WriteManifest(folder, json);

        AssertColdAndWarnsOnce();
    }

    [Fact]
    public void Open_ManifestOfTheNextFormat_IsColdAndWarnsOnce()
    {
        string folder = clean.CopyTo(_directory);
        WriteManifest(folder, ManifestOf(folder).Replace($"\"Format\": {Manifest.CurrentFormat}", $"\"Format\": {Manifest.CurrentFormat + 1}", StringComparison.Ordinal));

        AssertColdAndWarnsOnce();
    }

    /// <summary>It is wiped, so its sizes are of no use.</summary>
    [Fact]
    public void Open_ResizedCacheOfTheNextFormat_IsDividedAsAnEmptyOne()
    {
        using (var resized = Open(_directory.Path, "8MB", "16MB")) resized.Resize("24MB", "48MB");
        string folder = StampCache.FolderIn(_directory.Path);
        WriteManifest(folder, ManifestOf(folder).Replace($"\"Format\": {Manifest.CurrentFormat}", $"\"Format\": {Manifest.CurrentFormat + 1}", StringComparison.Ordinal));
        using var elsewhere = new TestDirectory();

        using var again = Open(_directory.Path, "24MB", "48MB");
        using var empty = Open(elsewhere.Path, "24MB", "48MB");

        Assert.Equal((empty.Tiers.Plan.SegmentBytes, empty.Tiers.Plan.IndexBytes), (again.Tiers.Plan.SegmentBytes, again.Tiers.Plan.IndexBytes));

        static FasterCache<long, Stamp> Open(string directory, string memory, string disk) => StampCache.Open(directory, change: o => (o.MemoryBudget, o.DiskBudget) = (memory, disk));
    }

    /// <summary>FASTER has no addresses beyond: nothing that was stored there would be found.</summary>
    [Fact]
    public void Open_LogNearTheEndOfItsAddresses_IsColdAndSaysWhy()
    {
        string folder = clean.CopyTo(_directory);
        var json = System.Text.Json.Nodes.JsonNode.Parse(ManifestOf(folder))!.AsObject();
        foreach (string field in (string[])["BeginAddress", "TailAddress"]) json[field] = (1L << 47) - (1 << 20);
        WriteManifest(folder, json.ToJsonString());

        using var cache = StampCache.Open(_directory.Path, _log);

        Assert.Contains("addresses", Assert.Single(_log.Warnings), StringComparison.Ordinal);
        cache.Fill(0, 1000, version: 1);
        Found.All(1000, cache.CountHits(0, 1000, version: 1));
    }

    /// <summary>Whoever wrote these vouched for them with a correct checksum: a program with a fault, or a stranger.</summary>
    [Theory]
    [InlineData("HashSecret", "null")]
    [InlineData("HashSecret", "[1,2]")]
    [InlineData("Fingerprint", "null")]
    [InlineData("IndexMetadata", "null")]
    [InlineData("IndexMetadata", "\"\"")]
    [InlineData("IndexMetadata", "\"AAAA\"")]
    [InlineData("LogMetadata", "null")]
    [InlineData("LogMetadata", "\"\"")]
    [InlineData("TailAddress", "-1")]
    [InlineData("TailAddress", "0")]
    [InlineData("TailAddress", "9223372036854775807")]
    [InlineData("BeginAddress", "-1000000000")]
    [InlineData("BeginAddress", "9223372036854775807")]
    [InlineData("IndexFileBytes", "8796093022208")]
    [InlineData("IndexFileBytes", "9223372036854775807")]
    [InlineData("MainBegin", "0")]
    [InlineData("MainBegin", "-1")]
    [InlineData("MainTail", "9223372036854775807")]
    [InlineData("ProbationBegin", "-9223372036854775808")]
    [InlineData("ProbationTail", "9223372036854775807")]
    [InlineData("Token", "\"00000000-0000-0000-0000-000000000000\"")]
    public void Open_ManifestWithNonsense_AnswersNothingWrong(string field, string value)
    {
        string folder = clean.CopyTo(_directory);
        var json = System.Text.Json.Nodes.JsonNode.Parse(ManifestOf(folder))!.AsObject();
        json[field] = System.Text.Json.Nodes.JsonNode.Parse(value);
        WriteManifest(folder, json.ToJsonString());

        FasterCache<long, Stamp>? cache = null;
        var opening = new Thread(() => cache = StampCache.Open(_directory.Path, _log)) { IsBackground = true };
        opening.Start();

        Assert.True(opening.Join(Until.Deadline), "the cache opens");
        using (cache!)
        {
            double hits = CleanFolder.ShareOfHits(cache!, step: 7);
            Assert.Equal(hits == 0 ? 1 : 0, _log.Warnings.Count);
        }
    }

    public void Dispose() => _directory.Dispose();

    private static string ManifestOf(string folder) => File.ReadAllText(Path.Combine(folder, "manifest"))[9..];

    private static void WriteManifest(string folder, string json)
    {
        byte[] bytes = System.Text.Encoding.UTF8.GetBytes(json);
        File.WriteAllBytes(Path.Combine(folder, "manifest"), [.. System.Text.Encoding.ASCII.GetBytes($"{Crc32C.Of(bytes):x8}\n"), .. bytes]);
    }

    private void AssertCold(Action<FasterCacheOptions> change)
    {
        clean.CopyTo(_directory);
        using var cache = StampCache.Open(_directory.Path, _log, change);

        Assert.Equal(0, CleanFolder.ShareOfHits(cache));
        Assert.Equal(0, cache.GetStatistics().RecoveredEntries);
    }

    private void AssertWarnsOnce(Action<FasterCacheOptions> change, string what)
    {
        clean.CopyTo(_directory);
        using var cache = StampCache.Open(_directory.Path, _log, change);

        Assert.Contains(what, Assert.Single(_log.Warnings), StringComparison.Ordinal);
    }

    private void AssertColdAndWarnsOnce()
    {
        using var cache = StampCache.Open(_directory.Path, _log);

        Assert.Equal(0, CleanFolder.ShareOfHits(cache));
        Assert.Single(_log.Warnings);
    }

    private void AssertOtherTypesAreCold<TKey, TValue>()
        where TKey : unmanaged, IEquatable<TKey>, System.Numerics.INumber<TKey>
        where TValue : unmanaged
    {
        clean.CopyTo(_directory);
        using var cache = new FasterCache<TKey, TValue>(StampCache.Options(_directory.Path), _log);

        for (long key = 0; key < CleanFolder.Entries; key += 50) Assert.False(cache.TryGet(TKey.CreateChecked(key), out _));
        Assert.Contains("types", Assert.Single(_log.Warnings), StringComparison.Ordinal);
    }

    private readonly record struct StampWithOtherName(long Key, long Version, ulong First, ulong Third);

    private readonly record struct StampWithOtherType(long Key, ulong Version, ulong First, ulong Second);

    private readonly record struct StampWithOtherOrder(long Version, long Key, ulong First, ulong Second);
}
