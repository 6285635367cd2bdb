using HybridCaching.Configuration;
using Microsoft.Extensions.Configuration;

namespace HybridCaching.Tests.Configuration;

/// <summary>Options from a section of the configuration.</summary>
public sealed class OptionsReaderTests
{
    private const string Section = "Caches:Quotes";

    private static readonly FasterDistributedCacheOptions Untouched = new();

    /// <summary>A value for each option, and what it makes of it.</summary>
    public static TheoryData<string, string, object> GoodValues { get; } = new()
    {
        { "Name", "quotes", "quotes" },
        { "Directory", "/var/cache/app", "/var/cache/app" },
        { "Directory", "caches", "caches" },
        { "MemoryBudget", "256MB", new ByteSize(256 << 20) },
        { "MemoryBudget", "1.5GiB", new ByteSize(3L << 29) },
        { "MemoryBudget", "268435456", new ByteSize(256 << 20) },
        { "DiskBudget", "2TB", new ByteSize(2L << 40) },
        { "DiskWriteBudget", "10MB", new ByteSize(10 << 20) },
        { "HotTierShare", "0.5", 0.5 },
        { "HotTierShare", "0", 0.0 },
        { "HotTierShare", ".25", 0.25 },
        { "DefaultTimeToLive", "00:05:00", TimeSpan.FromMinutes(5) },
        { "DefaultTimeToLive", "7.00:00:00", TimeSpan.FromDays(7) },
        { "DefaultTimeToLive", "00:00:00.250", TimeSpan.FromMilliseconds(250) },
        { "DefaultTimeToLive", "Infinite", Timeout.InfiniteTimeSpan },
        { "DefaultTimeToLive", "infinite", Timeout.InfiniteTimeSpan },
        { "CheckpointInterval", "00:01:00", TimeSpan.FromMinutes(1) },
        { "DiskTimeout", "00:00:02.5", TimeSpan.FromSeconds(2.5) },
        { "WhenDirectoryUnavailable", "Throw", DirectoryUnavailable.Throw },
        { "WhenDirectoryUnavailable", "memoryonly", DirectoryUnavailable.MemoryOnly },
        { "SchemaVersion", "3", 3 },
        { "SchemaVersion", "-1", -1 },
        { "MaximumValueBytes", "1MB", new ByteSize(1 << 20) },
        { "DefaultSlidingExpiration", "00:20:00", TimeSpan.FromMinutes(20) },
        { "DefaultSlidingExpiration", "Infinite", Timeout.InfiniteTimeSpan },
        { "TypicalEntryBytes", "2KB", new ByteSize(2048) },
    };

    /// <summary>Values that are not understood, and a part of what the message proposes instead.</summary>
    public static TheoryData<string, string, string> BadValues { get; } = new()
    {
        { "MemoryBudget", "plenty", "1.5GB" },
        { "MemoryBudget", "-1", "1.5GB" },
        { "MemoryBudget", "1,5GB", "1.5GB" },
        { "MemoryBudget", "256 megabytes", "1.5GB" },
        { "MemoryBudget", "256XB", "1.5GB" },
        { "MemoryBudget", "99999999999999999999", "1.5GB" },
        { "DiskBudget", "NaN", "1.5GB" },
        { "DiskWriteBudget", "slow", "1.5GB" },
        { "MaximumValueBytes", "true", "1.5GB" },
        { "TypicalEntryBytes", "0x200", "1.5GB" },
        { "HotTierShare", "85%", "0.85" },
        { "HotTierShare", "0,85", "0.85" },
        { "HotTierShare", "-0.5", "0.85" },
        { "HotTierShare", "NaN", "0.85" },
        { "HotTierShare", "Infinity", "0.85" },
        { "HotTierShare", "half", "0.85" },
        { "DefaultTimeToLive", "30", "00:00:30" },
        { "DefaultTimeToLive", "5 minutes", "00:00:30" },
        { "DefaultTimeToLive", "soon", "Infinite" },
        { "DefaultTimeToLive", "24:00:00", "7.00:00:00" },
        { "DefaultTimeToLive", "90:00", "00:00:30" },
        { "DefaultTimeToLive", "00:90:00", "00:00:30" },
        { "CheckpointInterval", "Infinite", "00:00:30" },
        { "CheckpointInterval", "1", "00:00:30" },
        { "DiskTimeout", "1s", "00:00:30" },
        { "DiskTimeout", "1000", "00:00:30" },
        { "DefaultSlidingExpiration", "20", "00:00:30" },
        { "DefaultSlidingExpiration", "never", "Infinite" },
        { "WhenDirectoryUnavailable", "Ignore", "MemoryOnly, Throw" },
        { "WhenDirectoryUnavailable", "7", "MemoryOnly, Throw" },
        { "WhenDirectoryUnavailable", "MemoryOnly, Throw", "MemoryOnly, Throw" },
        { "SchemaVersion", "2.0", "a whole number" },
        { "SchemaVersion", "two", "a whole number" },
        { "SchemaVersion", "99999999999", "a whole number" },
    };

    /// <summary>The options that can be configured.</summary>
    public static TheoryData<string> OptionNames => [.. typeof(FasterDistributedCacheOptions).GetProperties().Where(p => p.CanWrite && p.Name != nameof(FasterCacheOptions.TimeProvider)).Select(p => p.Name)];

    [Theory]
    [MemberData(nameof(GoodValues))]
    public void Read_ValueThatIsUnderstood_SetsTheOption(string option, string text, object expected) => Assert.Equal(expected, ValueOf(Read((option, text)), option));

    [Theory]
    [MemberData(nameof(GoodValues))]
    public void Read_OneValue_LeavesTheOtherOptionsAlone(string option, string text, object expected)
    {
        var options = Read((option, text));

        Assert.NotNull(expected);
        Assert.All(OptionNames.Where(other => other != option), other => Assert.Equal(ValueOf(Untouched, other), ValueOf(options, other)));
    }

    [Theory]
    [MemberData(nameof(BadValues))]
    public void Read_ValueThatIsNotUnderstood_NamesPathValueAndForms(string option, string text, string form)
    {
        var refusal = Assert.Throws<InvalidOperationException>(() => Read((option, text)));

        Assert.Contains($"'{Section}:{option}'", refusal.Message, StringComparison.Ordinal);
        Assert.Contains($"'{text}'", refusal.Message, StringComparison.Ordinal);
        Assert.Contains(form, refusal.Message, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(OptionNames))]
    public void Read_EveryOption_HasAReader(string option)
    {
        var refusal = Record.Exception(() => Read((option, "?")));

        Assert.DoesNotContain("there is no option", refusal?.Message ?? "", StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(OptionNames))]
    public void Read_EmptyValue_IsNone(string option) => Assert.Equal(ValueOf(Untouched, option), ValueOf(Read((option, "")), option));

    [Theory]
    [MemberData(nameof(OptionNames))]
    public void Read_NoValue_IsNone(string option) => Assert.Equal(ValueOf(Untouched, option), ValueOf(Read((option, null)), option));

    [Theory]
    [InlineData("MemoryBudgt")]
    [InlineData("InstanceName")]
    [InlineData("TimeProvider")]
    [InlineData("Value")]
    public void Read_UnknownKey_NamesItAndTheOptions(string key)
    {
        var refusal = Assert.Throws<InvalidOperationException>(() => Read((key, "1MB")));

        Assert.Contains($"'{Section}:{key}'", refusal.Message, StringComparison.Ordinal);
        Assert.All(OptionNames, option => Assert.Contains(option, refusal.Message, StringComparison.Ordinal));
    }

    /// <summary>Somebody hands over the whole configuration: what stands there may be a secret.</summary>
    [Fact]
    public void Read_UnknownKey_DoesNotTellItsValue()
    {
        var refusal = Assert.Throws<InvalidOperationException>(() => Read(("ConnectionString", "Password=hunter2")));

        Assert.DoesNotContain("hunter2", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Read_OptionOfTheCacheOfBytesForATypedOne_IsUnknown()
    {
        var section = SectionOf(("MaximumValueBytes", "1MB"));

        var refusal = Assert.Throws<InvalidOperationException>(() => OptionsReader.Read(section, new FasterCacheOptions()));
        Assert.DoesNotContain("TypicalEntryBytes", refusal.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("memorybudget")]
    [InlineData("MEMORYBUDGET")]
    [InlineData("memoryBudget")]
    public void Read_KeyInAnyCase_SetsTheOption(string key) => Assert.Equal(new ByteSize(64 << 20), Read((key, "64MB")).MemoryBudget);

    [Fact]
    public void Read_SectionsBelow_AreLeftAlone()
    {
        var options = Read(("MemoryBudget", "64MB"), ("Tags:MemoryBudget", "nonsense"), ("Other:Deep:Down", "1"));

        Assert.Equal(new ByteSize(64 << 20), options.MemoryBudget);
    }

    [Fact]
    public void Read_SectionInPlaceOfAValue_IsNamed()
    {
        var refusal = Assert.Throws<InvalidOperationException>(() => Read(("memoryBudget:Value", "64MB")));

        Assert.Contains($"'{Section}:memoryBudget' is a section", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Read_SectionThatIsNotThere_SetsNothing()
    {
        var options = new FasterDistributedCacheOptions();
        OptionsReader.Read(new ConfigurationBuilder().Build().GetSection("nowhere"), options);

        Assert.All(OptionNames, option => Assert.Equal(ValueOf(Untouched, option), ValueOf(options, option)));
    }

    [Fact]
    public void Read_ValueInPlaceOfASection_IsNamed()
    {
        var configuration = new ConfigurationBuilder().AddInMemoryCollection([new("Cache", "256MB")]).Build();

        var refusal = Assert.Throws<InvalidOperationException>(() => OptionsReader.Read(configuration.GetSection("Cache"), new FasterDistributedCacheOptions()));

        Assert.Contains("'Cache'", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Read_ValueBesideTheSectionsSettings_IsPassedOver()
    {
        // An environment variable that happens to be called as the section is one.
        var configuration = new ConfigurationBuilder().AddInMemoryCollection([new("Cache", "yes"), new("Cache:MemoryBudget", "64MB")]).Build();
        var options = new FasterDistributedCacheOptions();

        OptionsReader.Read(configuration.GetSection("Cache"), options);

        Assert.Equal(new ByteSize(64 << 20), options.MemoryBudget);
    }

    [Fact]
    public void Read_SeveralValues_SetsAll()
    {
        var options = Read(("MemoryBudget", "64MB"), ("DiskBudget", "5GB"), ("Directory", "d"), ("DefaultSlidingExpiration", "00:01:00"));

        Assert.Equal((new ByteSize(64 << 20), new ByteSize(5L << 30), "d", TimeSpan.FromMinutes(1)), (options.MemoryBudget, options.DiskBudget, options.Directory, options.DefaultSlidingExpiration));
    }

    [Fact]
    public void Read_Json_SetsTheOptions()
    {
        using var stream = new MemoryStream("""{ "Cache": { "MemoryBudget": 67108864, "Directory": null, "HotTierShare": 0.5, "SchemaVersion": 2, "DiskTimeout": "00:00:03", "Tags": { "a": 1 }, "List": [1, 2] } }"""u8.ToArray());
        var options = new FasterDistributedCacheOptions();
        OptionsReader.Read(new ConfigurationBuilder().AddJsonStream(stream).Build().GetSection("Cache"), options);

        Assert.Equal((new ByteSize(64 << 20), null, 0.5, 2, TimeSpan.FromSeconds(3)), (options.MemoryBudget, options.Directory, options.HotTierShare, options.SchemaVersion, options.DiskTimeout));
    }

    [Fact]
    public void Read_EnvironmentVariables_SetTheOptions()
    {
        const string Prefix = "HYBRIDCACHING_TESTS_OPTIONS_";
        Environment.SetEnvironmentVariable(Prefix + "Cache__MemoryBudget", "64MB");
        Environment.SetEnvironmentVariable(Prefix + "CACHE__DISKTIMEOUT", "00:00:03");
        try
        {
            var options = new FasterDistributedCacheOptions();
            OptionsReader.Read(new ConfigurationBuilder().AddEnvironmentVariables(Prefix).Build().GetSection("Cache"), options);

            Assert.Equal((new ByteSize(64 << 20), TimeSpan.FromSeconds(3)), (options.MemoryBudget, options.DiskTimeout));
        }
        finally
        {
            Environment.SetEnvironmentVariable(Prefix + "Cache__MemoryBudget", null);
            Environment.SetEnvironmentVariable(Prefix + "CACHE__DISKTIMEOUT", null);
        }
    }

    [Fact]
    public void Read_CommandLine_OverridesAndEmptiesWhatWasBefore()
    {
        var configuration = new ConfigurationBuilder()
            .AddInMemoryCollection([new("Cache:MemoryBudget", "64MB"), new("Cache:Directory", "somewhere")])
            .AddCommandLine(["--Cache:MemoryBudget=96MB", "--Cache:Directory="])
            .Build();
        var options = new FasterDistributedCacheOptions();
        OptionsReader.Read(configuration.GetSection("Cache"), options);

        Assert.Equal((new ByteSize(96 << 20), null), (options.MemoryBudget, options.Directory));
    }

    [Theory]
    [MemberData(nameof(GoodValues))]
    public void Read_CultureWithCommas_IsTheSame(string option, string text, object expected)
    {
        var before = System.Globalization.CultureInfo.CurrentCulture;
        System.Globalization.CultureInfo.CurrentCulture = CommaCulture();
        try
        {
            Assert.Equal(expected, ValueOf(Read((option, text)), option));
        }
        finally
        {
            System.Globalization.CultureInfo.CurrentCulture = before;
        }
    }

    /// <summary>As de-DE writes numbers and times; the tests run without the data of cultures.</summary>
    private static System.Globalization.CultureInfo CommaCulture()
    {
        var culture = (System.Globalization.CultureInfo)System.Globalization.CultureInfo.InvariantCulture.Clone();
        (culture.NumberFormat.NumberDecimalSeparator, culture.NumberFormat.NumberGroupSeparator, culture.NumberFormat.NegativeSign) = (",", ".", "~");
        (culture.DateTimeFormat.TimeSeparator, culture.DateTimeFormat.DateSeparator) = (".", ".");
        return culture;
    }

    private static FasterDistributedCacheOptions Read(params (string Key, string? Value)[] values)
    {
        var options = new FasterDistributedCacheOptions();
        OptionsReader.Read(SectionOf(values), options);
        return options;
    }

    private static IConfigurationSection SectionOf(params (string Key, string? Value)[] values) =>
        new ConfigurationBuilder().AddInMemoryCollection(values.Select(v => KeyValuePair.Create($"{Section}:{v.Key}", v.Value))).Build().GetSection(Section);

    internal static object? ValueOf(FasterCacheOptions options, string option) => options.GetType().GetProperty(option)!.GetValue(options);
}
