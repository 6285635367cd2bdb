using System.Text.Json;

namespace HybridCaching.WebTests;

public sealed class HealthTests : IDisposable
{
    private readonly ContentRoot _root = new();

    public void Dispose() => _root.Dispose();

    [Fact]
    public async Task Health_DirectoryOfItsOwn_IsHealthy()
    {
        await using var host = await SampleHost.StartAsync(_root);
        using var client = host.ClientOf(new Visitor());

        var health = await client.GetJsonAsync("/health");

        Assert.Equal("Healthy", health.GetProperty("status").GetString());
        Assert.All(Checks(health), check => Assert.Equal("Healthy", check.GetProperty("status").GetString()));
    }

    [Fact]
    public async Task Health_DirectoryInUse_IsDegradedAndSaysWhy()
    {
        await using var owner = await SampleHost.StartAsync(_root);
        await using var host = await SampleHost.StartAsync(_root);
        using var client = host.ClientOf(new Visitor());

        var health = await client.GetJsonAsync("/health");

        Assert.Equal("Degraded", health.GetProperty("status").GetString());
        Assert.All(Checks(health), check => Assert.Contains("is in use by another cache of this process", check.GetProperty("reason").GetString(), StringComparison.Ordinal));
    }

    [Fact]
    public async Task Health_OwnerOfADirectoryInUse_StaysHealthy()
    {
        await using var owner = await SampleHost.StartAsync(_root);
        await using var host = await SampleHost.StartAsync(_root);
        using var client = owner.ClientOf(new Visitor());

        var health = await client.GetJsonAsync("/health");

        Assert.Equal("Healthy", health.GetProperty("status").GetString());
    }

    [Fact]
    public async Task Health_AnyCheck_HasData()
    {
        await using var host = await SampleHost.StartAsync(_root);
        using var client = host.ClientOf(new Visitor());

        var health = await client.GetJsonAsync("/health");

        Assert.NotEmpty(Checks(health));
        Assert.All(Checks(health), check => Assert.NotEmpty(check.GetProperty("data").EnumerateObject()));
    }

    private static IEnumerable<JsonElement> Checks(JsonElement health) => health.GetProperty("checks").EnumerateObject().Select(check => check.Value);
}
