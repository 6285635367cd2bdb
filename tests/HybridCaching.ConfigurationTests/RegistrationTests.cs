using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace HybridCaching.ConfigurationTests;

/// <summary>The registration methods that take a section of the configuration, in a project whose configuration binder is generated.</summary>
public sealed class RegistrationTests
{
    private const long Budget = 64 << 20;

    private static IConfigurationSection Section => Sections.Of(("MemoryBudget", "64MB"), ("Name", "bound"));

    [Fact]
    public void AddFasterDistributedCache_Section_HasItsSizes() =>
        Assert.Equal(Budget, BudgetOf(s => s.AddFasterDistributedCache(Section), p => p.GetRequiredService<FasterDistributedCache>().GetMemoryUsage()));

    [Fact]
    public void AddKeyedFasterDistributedCache_Section_HasItsSizes() =>
        Assert.Equal(Budget, BudgetOf(s => s.AddKeyedFasterDistributedCache("key", Section), p => p.GetRequiredKeyedService<FasterDistributedCache>("key").GetMemoryUsage()));

    [Fact]
    public void AddFasterCache_Section_HasItsSizes() =>
        Assert.Equal(Budget, BudgetOf(s => s.AddFasterCache<long, long>(Section), p => p.GetRequiredService<FasterCache<long, long>>().GetMemoryUsage()));

    [Fact]
    public void AddKeyedFasterCache_Section_HasItsSizes() =>
        Assert.Equal(Budget, BudgetOf(s => s.AddKeyedFasterCache<long, long>("key", Section), p => p.GetRequiredKeyedService<FasterCache<long, long>>("key").GetMemoryUsage()));

    [Fact]
    public void AddFasterDistributedCache_SectionBoundBesides_HasItsSizes() => Assert.Equal(
        Budget,
        BudgetOf(s => s.AddFasterDistributedCache(Section).Configure<FasterDistributedCacheOptions>(Section), p => p.GetRequiredService<FasterDistributedCache>().GetMemoryUsage()));

    [Fact]
    public void AddFasterDistributedCache_AllOptions_AreRead()
    {
        var section = Sections.Of(
            ("Name", "n"), ("Directory", "d"), ("MemoryBudget", "64MB"), ("DiskBudget", "5GB"), ("HotTierShare", "0.5"), ("DefaultTimeToLive", "1.00:00:00"), ("CheckpointInterval", "00:01:00"), ("DiskTimeout", "00:00:03"),
            ("WhenDirectoryUnavailable", "Throw"), ("SchemaVersion", "2"), ("MaximumValueBytes", "1MB"), ("DefaultSlidingExpiration", "00:20:00"), ("TypicalEntryBytes", "4KB"));
        using var provider = new ServiceCollection().AddFasterDistributedCache(section).BuildServiceProvider();
        var options = provider.GetRequiredService<IOptions<FasterDistributedCacheOptions>>().Value;

        Assert.Equal(("n", "d", new ByteSize(Budget), new ByteSize(5L << 30)), (options.Name, options.Directory, options.MemoryBudget, options.DiskBudget));
        Assert.Equal((0.5, TimeSpan.FromDays(1), TimeSpan.FromMinutes(1), TimeSpan.FromSeconds(3)), (options.HotTierShare, options.DefaultTimeToLive, options.CheckpointInterval, options.DiskTimeout));
        Assert.Equal((DirectoryUnavailable.Throw, 2), (options.WhenDirectoryUnavailable, options.SchemaVersion));
        Assert.Equal((new ByteSize(1 << 20), TimeSpan.FromMinutes(20), new ByteSize(4096)), (options.MaximumValueBytes, options.DefaultSlidingExpiration, options.TypicalEntryBytes));
    }

    [Fact]
    public void AddFasterDistributedCache_SizeThatIsNone_IsRefusedWithPathValueAndForms()
    {
        using var provider = new ServiceCollection().AddFasterDistributedCache(Sections.Of(("MemoryBudget", "plenty"))).BuildServiceProvider();

        var refusal = Assert.Throws<InvalidOperationException>(() => provider.GetRequiredService<IDistributedCache>());
        Assert.All(["'Cache:MemoryBudget'", "'plenty'", "256MB"], part => Assert.Contains(part, refusal.Message, StringComparison.Ordinal));
    }

    private static long BudgetOf(Action<IServiceCollection> add, Func<IServiceProvider, MemoryUsage> usage)
    {
        var services = new ServiceCollection();
        add(services);
        using var provider = services.BuildServiceProvider();
        return usage(provider).Budget;
    }
}
