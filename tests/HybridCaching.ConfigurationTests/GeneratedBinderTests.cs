using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace HybridCaching.ConfigurationTests;

/// <summary>What the source generator of the configuration binder, which is on in this project, makes of our options: it passes over sizes, without a word. The reason why the library reads its sections itself.</summary>
public sealed class GeneratedBinderTests
{
    private static readonly FasterDistributedCacheOptions Untouched = new();

    private readonly IConfigurationSection _section = Sections.Of(("MemoryBudget", "64MB"), ("DiskBudget", "5GB"), ("MaximumValueBytes", "1KB"), ("TypicalEntryBytes", "4KB"), ("Name", "bound"), ("DiskTimeout", "00:00:03"));

    /// <summary>Else these tests prove nothing.</summary>
    [Fact]
    public void Binder_InThisProject_IsGenerated() =>
        Assert.Contains(typeof(GeneratedBinderTests).Assembly.GetTypes(), type => type.FullName!.Contains("BindingExtensions", StringComparison.Ordinal));

    [Fact]
    public void Get_Sizes_AreLeftAtTheirDefaults() => AssertSizesAreUntouched(_section.Get<FasterDistributedCacheOptions>()!);

    [Fact]
    public void Get_OfTheTypedCache_SizesAreLeftAtTheirDefaults()
    {
        var options = _section.Get<FasterCacheOptions>()!;

        Assert.Equal((Untouched.MemoryBudget, Untouched.DiskBudget, "bound"), (options.MemoryBudget, options.DiskBudget, options.Name));
    }

    [Fact]
    public void Bind_Sizes_AreLeftAsTheyWere()
    {
        var options = new FasterDistributedCacheOptions();
        _section.Bind(options);

        AssertSizesAreUntouched(options);
    }

    [Fact]
    public void Configure_Section_SizesAreLeftAtTheirDefaults()
    {
        using var provider = new ServiceCollection().Configure<FasterDistributedCacheOptions>(_section).BuildServiceProvider();

        AssertSizesAreUntouched(provider.GetRequiredService<IOptions<FasterDistributedCacheOptions>>().Value);
    }

    /// <summary>Not even a size that is none is noticed.</summary>
    [Fact]
    public void Get_SizeThatIsNone_IsNotNoticed() => AssertSizesAreUntouched(Sections.Of(("MemoryBudget", "nonsense"), ("Name", "bound"), ("DiskTimeout", "00:00:03")).Get<FasterDistributedCacheOptions>()!);

    private static void AssertSizesAreUntouched(FasterDistributedCacheOptions options)
    {
        Assert.Equal((Untouched.MemoryBudget, Untouched.DiskBudget), (options.MemoryBudget, options.DiskBudget));
        Assert.Equal((Untouched.MaximumValueBytes, Untouched.TypicalEntryBytes), (options.MaximumValueBytes, options.TypicalEntryBytes));
        Assert.Equal(("bound", TimeSpan.FromSeconds(3)), (options.Name, options.DiskTimeout));
    }
}
