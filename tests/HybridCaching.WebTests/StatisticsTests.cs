using System.Text.Json;

namespace HybridCaching.WebTests;

public sealed class StatisticsTests : IDisposable
{
    private readonly ContentRoot _root = new();

    public void Dispose() => _root.Dispose();

    [Theory]
    [InlineData("distributed", "/factors/600851475143")]
    [InlineData("primes", "/prime/10001")]
    public async Task Statistics_MissAndHit_AreCounted(string cache, string path)
    {
        await using var host = await SampleHost.StartAsync(_root);
        using var client = host.ClientOf(new Visitor());
        var before = (await client.GetJsonAsync("/stats")).GetProperty(cache);
        await client.GetCachedAsync(path);
        await client.GetCachedAsync(path);

        var after = (await client.GetJsonAsync("/stats")).GetProperty(cache);

        Assert.Equal(Count(before, "writes") + 1, Count(after, "writes"));
        Assert.InRange(Count(after, "memoryHits"), Count(before, "memoryHits") + 1, long.MaxValue);
        Assert.InRange(Count(after, "misses"), Count(before, "misses") + 1, long.MaxValue);
    }

    [Theory]
    [InlineData("distributed", 64)]
    [InlineData("primes", 16)]
    public async Task Memory_OfTheSettings_IsWithinTheBudget(string cache, long mebibytes)
    {
        await using var host = await SampleHost.StartAsync(_root);
        using var client = host.ClientOf(new Visitor());

        var memory = (await client.GetJsonAsync("/stats")).GetProperty(cache).GetProperty("memory");

        Assert.Equal(mebibytes << 20, memory.GetProperty("budget").GetInt64());
        Assert.InRange(memory.GetProperty("total").GetInt64(), 1, mebibytes << 20);
    }

    [Fact]
    public async Task Memory_BudgetOnTheCommandLine_IsThatOne()
    {
        await using var host = await SampleHost.StartAsync(_root, "--Cache:MemoryBudget", "40MB");
        using var client = host.ClientOf(new Visitor());

        var memory = (await client.GetJsonAsync("/stats")).GetProperty("distributed").GetProperty("memory");

        Assert.Equal(40L << 20, memory.GetProperty("budget").GetInt64());
    }

    private static long Count(JsonElement cache, string counter) => cache.GetProperty("statistics").GetProperty(counter).GetInt64();
}
