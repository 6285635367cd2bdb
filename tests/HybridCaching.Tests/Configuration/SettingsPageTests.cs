using System.Text;
using HybridCaching.Configuration;
using HybridCaching.Tests.Architecture;
using Microsoft.Extensions.Configuration;

namespace HybridCaching.Tests.Configuration;

/// <summary>docs/settings.md says what settings there are, and what they are if nobody sets them.</summary>
public sealed class SettingsPageTests
{
    private const string JsonBegin = "```json\n";

    private static readonly string Page = File.ReadAllText(Repository.Combine("docs/settings.md"));

    private static IEnumerable<string> Configurable => OptionsReaderTests.OptionNames.Select(row => row.Data);

    private static IConfigurationSection Example
    {
        get
        {
            int begin = Page.IndexOf(JsonBegin, StringComparison.Ordinal) + JsonBegin.Length;
            using var json = new MemoryStream(Encoding.UTF8.GetBytes(Page[begin..Page.IndexOf("```", begin, StringComparison.Ordinal)]));
            return new ConfigurationBuilder().AddJsonStream(json).Build().GetSection("Cache");
        }
    }

    [Fact]
    public void SettingsPage_Table_HasEverySetting() =>
        Assert.Equal(
            Configurable.Append(nameof(FasterCacheOptions.TimeProvider)).Order(StringComparer.Ordinal),
            from line in Page.Split('\n')
            where line.StartsWith("| `", StringComparison.Ordinal)
            let name = line[3..line.IndexOf('`', 3)]
            orderby name
            select name);

    [Fact]
    public void SettingsPage_Json_HasEverySettingThatCanBeConfigured() =>
        Assert.Equal(Configurable.Order(StringComparer.Ordinal), Example.GetChildren().Select(setting => setting.Key).Order(StringComparer.Ordinal));

    [Fact]
    public void SettingsPage_Json_IsTheDefaults()
    {
        var read = new FasterDistributedCacheOptions { MemoryBudget = 1, DiskBudget = 1, CheckpointInterval = TimeSpan.MaxValue, DiskTimeout = TimeSpan.MaxValue, DiskIo = DiskIo.Direct, WhenDirectoryUnavailable = DirectoryUnavailable.Throw, SchemaVersion = 7, MaximumValueBytes = 1, TypicalEntryBytes = 1 };
        OptionsReader.Read(Example, read);

        var defaults = new FasterDistributedCacheOptions { MemoryBudget = FasterCacheOptions.DefaultMemoryBudget }; // that of the machine may be less
        Assert.All(Configurable, option => Assert.Equal(OptionsReaderTests.ValueOf(defaults, option), OptionsReaderTests.ValueOf(read, option)));
    }
}
