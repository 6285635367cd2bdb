using HybridCaching.Configuration;

namespace HybridCaching.Tests.Configuration;

public sealed class CacheSettingsTests
{
    public static TheoryData<string, Action<FasterCacheOptions>> BadOptions { get; } = new()
    {
        { nameof(FasterCacheOptions.MemoryBudget), o => o.MemoryBudget = 0 },
        { nameof(FasterCacheOptions.DiskBudget), o => (o.Directory, o.DiskBudget) = ("d", 0) },
        { nameof(FasterCacheOptions.DiskBudget), o => (o.Directory, o.DiskBudget) = ("d", (1L << 40) + 1) },
        { nameof(FasterCacheOptions.DiskWriteBudget), o => (o.Directory, o.DiskWriteBudget) = ("d", 0) },
        { nameof(FasterCacheOptions.DefaultTimeToLive), o => o.DefaultTimeToLive = TimeSpan.Zero },
        { nameof(FasterCacheOptions.DefaultTimeToLive), o => o.DefaultTimeToLive = TimeSpan.FromMilliseconds(-2) },
        { nameof(FasterCacheOptions.CheckpointInterval), o => o.CheckpointInterval = TimeSpan.Zero },
        { nameof(FasterCacheOptions.DiskTimeout), o => o.DiskTimeout = TimeSpan.Zero },
        { nameof(FasterCacheOptions.DiskTimeout), o => o.DiskTimeout = Timeout.InfiniteTimeSpan },
        { nameof(FasterCacheOptions.DiskTimeout), o => o.DiskTimeout = TimeSpan.FromDays(25) },
        { nameof(FasterCacheOptions.WhenDirectoryUnavailable), o => o.WhenDirectoryUnavailable = (DirectoryUnavailable)7 },
        { nameof(FasterCacheOptions.Directory), o => o.Directory = "" },
        { nameof(FasterCacheOptions.Directory), o => o.Directory = "  " },
        { nameof(FasterCacheOptions.Directory), o => o.Directory = "a\0b" },
    };

    [Theory]
    [MemberData(nameof(BadOptions))]
    public void From_OptionThatCannotWork_IsRefusedByName(string option, Action<FasterCacheOptions> change)
    {
        var options = new FasterCacheOptions();
        change(options);

        var refusal = Assert.Throws<ArgumentException>(() => CacheSettings.From(options, "default"));

        Assert.Equal(option, refusal.ParamName);
    }

    [Fact]
    public void From_WithoutDirectory_HasNoDiskBudget() => Assert.Equal(0, CacheSettings.From(new FasterCacheOptions(), "default").DiskBudget);

    [Fact]
    public void From_DiskWriteBudgetThatCannotWork_IsNamedWithItsValue() =>
        Assert.StartsWith("Cache default: DiskWriteBudget 0B must be", Assert.Throws<ArgumentException>(() => CacheSettings.From(new FasterCacheOptions { Directory = "d", DiskWriteBudget = 0 }, "default")).Message, StringComparison.Ordinal);

    [Fact]
    public void From_WithoutDirectory_HasNoDiskWriteBudget() => Assert.Null(CacheSettings.From(new FasterCacheOptions { DiskWriteBudget = "1MB" }, "default").DiskWriteBudget);

    [Fact]
    public void From_WithoutName_TakesTheDefault() => Assert.Equal("default", CacheSettings.From(new FasterCacheOptions(), "default").Name);

    [Fact]
    public void From_RelativeDirectory_IsBelowTheCurrentOne() =>
        Assert.Equal(Path.Combine(Environment.CurrentDirectory, "caches", "default"), CacheSettings.From(new FasterCacheOptions { Directory = "caches" }, "default").Folder);

    [Fact]
    public void From_DirectoryWithDots_IsAFullPath()
    {
        using var directory = new TestDirectory();

        Assert.Equal(directory.Combine("n"), CacheSettings.From(new FasterCacheOptions { Directory = directory.Combine("x/.."), Name = "n" }, "default").Folder);
    }

    [Fact]
    public void From_MemoryBudgetFarAboveTheMemory_IsRefusedWithBoth()
    {
        var refusal = Assert.Throws<ArgumentException>(() => CacheSettings.From(new FasterCacheOptions { MemoryBudget = "64TB" }, "default", new Surroundings { AvailableMemory = 23L << 30 }));

        Assert.Equal("MemoryBudget", refusal.ParamName);
        Assert.StartsWith("Cache default: MemoryBudget 64TB is more than 8 times the 23GB of memory there are.", refusal.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("184GB", true)]
    [InlineData("185GB", false)]
    public void From_MemoryBudgetAboveTheMemory_IsTakenUpToEightTimes(string budget, bool isTaken) =>
        Assert.Equal(isTaken, Record.Exception(() => CacheSettings.From(new FasterCacheOptions { MemoryBudget = budget }, "default", new Surroundings { AvailableMemory = 23L << 30 })) is null);

    [Fact]
    public void From_InfiniteDefaultTimeToLive_IsNone() =>
        Assert.Null(CacheSettings.From(new FasterCacheOptions { DefaultTimeToLive = Timeout.InfiniteTimeSpan }, "default").DefaultTimeToLive);
}
