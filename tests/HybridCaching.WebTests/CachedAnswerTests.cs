using System.Net;

namespace HybridCaching.WebTests;

public sealed class CachedAnswerTests : IDisposable
{
    private const string Factors = "/factors/600851475143";
    private const string Prime = "/prime/10001";

    private readonly ContentRoot _root = new();

    public void Dispose() => _root.Dispose();

    [Theory]
    [InlineData(Factors)]
    [InlineData(Prime)]
    public async Task Get_Twice_MissesThenHits(string path)
    {
        await using var host = await SampleHost.StartAsync(_root);
        using var client = host.ClientOf(new Visitor());
        var first = await client.GetCachedAsync(path);

        var second = await client.GetCachedAsync(path);

        Assert.Equal(("miss", "hit"), (first.Cache, second.Cache));
        Assert.Equal(first.Body, second.Body);
    }

    [Theory]
    [InlineData(Factors)]
    [InlineData(Prime)]
    public async Task Get_HostRestarted_Hits(string path)
    {
        string body = await GetAndStopAsync(path);

        await using var again = await SampleHost.StartAsync(_root);
        using var client = again.ClientOf(new Visitor());

        Assert.Equal(("hit", body), await client.GetCachedAsync(path));
    }

    [Theory]
    [InlineData(Factors, "/factors/600851475144")]
    [InlineData(Prime, "/prime/10002")]
    public async Task Get_OtherNumber_Misses(string path, string other)
    {
        await using var host = await SampleHost.StartAsync(_root);
        using var client = host.ClientOf(new Visitor());
        await client.GetCachedAsync(path);

        Assert.Equal("miss", (await client.GetCachedAsync(other)).Cache);
    }

    [Fact]
    public async Task Factors_Number_AreItsPrimeFactors()
    {
        await using var host = await SampleHost.StartAsync(_root);
        using var client = host.ClientOf(new Visitor());

        var answer = await client.GetJsonAsync(Factors);

        Assert.Equal([71, 839, 1471, 6857], answer.GetProperty("primeFactors").EnumerateArray().Select(factor => factor.GetInt64()));
    }

    [Theory]
    [InlineData(1, 2)]
    [InlineData(2, 3)]
    [InlineData(6, 13)]
    [InlineData(10001, 104743)]
    public async Task Prime_Number_IsThePrime(long n, long prime)
    {
        await using var host = await SampleHost.StartAsync(_root);
        using var client = host.ClientOf(new Visitor());

        var answer = await client.GetJsonAsync($"/prime/{n}");

        Assert.Equal((n, prime), (answer.GetProperty("n").GetInt64(), answer.GetProperty("prime").GetInt64()));
    }

    [Fact]
    public async Task Prime_AskedByManyAtOnce_IsComputedOnce()
    {
        await using var host = await SampleHost.StartAsync(_root);
        using var client = host.ClientOf(new Visitor());

        var answers = await Task.WhenAll(Enumerable.Range(0, 20).Select(_ => client.GetCachedAsync(Prime)));

        Assert.Single(answers, answer => answer.Cache == "miss");
        Assert.Single(answers.Select(answer => answer.Body).Distinct());
    }

    [Theory]
    [InlineData("/factors/1")]
    [InlineData("/factors/1000000000000001")]
    [InlineData("/factors/many")]
    [InlineData("/prime/0")]
    [InlineData("/prime/100001")]
    [InlineData("/nothing")]
    public async Task Get_NotOffered_IsNotFound(string path)
    {
        await using var host = await SampleHost.StartAsync(_root);
        using var client = host.ClientOf(new Visitor());

        using var response = await client.GetAsync(path);

        Assert.Equal(HttpStatusCode.NotFound, response.StatusCode);
    }

    private async Task<string> GetAndStopAsync(string path)
    {
        await using var host = await SampleHost.StartAsync(_root);
        using var client = host.ClientOf(new Visitor());
        return (await client.GetCachedAsync(path)).Body;
    }
}
