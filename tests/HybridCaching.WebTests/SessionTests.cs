namespace HybridCaching.WebTests;

public sealed class SessionTests : IDisposable
{
    private readonly ContentRoot _root = new();
    private readonly Visitor _visitor = new();

    public void Dispose() => _root.Dispose();

    [Fact]
    public async Task Session_NextRequest_HasTheValue()
    {
        await using var host = await SampleHost.StartAsync(_root);
        using var client = host.ClientOf(_visitor);

        await client.SetSessionAsync("name", "Ada");

        Assert.Equal("Ada", await client.GetSessionAsync("name"));
    }

    [Fact]
    public async Task Session_AnotherVisitor_HasItsOwn()
    {
        await using var host = await SampleHost.StartAsync(_root);
        using var client = host.ClientOf(_visitor);
        using var other = host.ClientOf(new Visitor());
        await client.SetSessionAsync("name", "Ada");

        await other.SetSessionAsync("name", "Grace");

        Assert.Equal("Ada", await client.GetSessionAsync("name"));
        Assert.Equal("Grace", await other.GetSessionAsync("name"));
    }

    [Fact]
    public async Task Session_ManyValues_AreAllThere()
    {
        await using var host = await SampleHost.StartAsync(_root);
        using var client = host.ClientOf(_visitor);

        for (int i = 0; i < 50; i++) await client.SetSessionAsync($"key{i}", new string((char)('a' + (i % 26)), 100 * i));

        for (int i = 0; i < 50; i++) Assert.Equal(new string((char)('a' + (i % 26)), 100 * i), await client.GetSessionAsync($"key{i}"));
    }

    [Fact]
    public async Task Session_HostRestarted_HasTheValue()
    {
        await using (var host = await SampleHost.StartAsync(_root))
        {
            using var client = host.ClientOf(_visitor);
            await client.SetSessionAsync("name", "Ada");
        }

        await using var again = await SampleHost.StartAsync(_root);
        using var sameVisitor = again.ClientOf(_visitor);

        Assert.Equal("Ada", await sameVisitor.GetSessionAsync("name"));
    }

    [Fact]
    public async Task Session_HostRestarted_IsNobodyElses()
    {
        await using (var host = await SampleHost.StartAsync(_root))
        {
            using var client = host.ClientOf(_visitor);
            await client.SetSessionAsync("name", "Ada");
        }

        await using var again = await SampleHost.StartAsync(_root);
        using var other = again.ClientOf(new Visitor());

        Assert.Null(await other.GetSessionAsync("name"));
    }

    [Fact]
    public async Task HomePage_HostRestarted_GoesOnCounting()
    {
        await using (var host = await SampleHost.StartAsync(_root))
        {
            using var client = host.ClientOf(_visitor);
            Assert.Contains("<strong id=\"visits\">1</strong>", await client.GetStringAsync("/"));
            Assert.Contains("<strong id=\"visits\">2</strong>", await client.GetStringAsync("/"));
        }

        await using var again = await SampleHost.StartAsync(_root);
        using var sameVisitor = again.ClientOf(_visitor);

        Assert.Contains("<strong id=\"visits\">3</strong>", await sameVisitor.GetStringAsync("/"));
    }
}
