using HybridCaching.Tests.Support;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace HybridCaching.Tests.Hosting;

/// <summary>Two typed caches, one of bytes and one under a key, all in one directory.</summary>
public sealed class SharedDirectoryTests : IDisposable
{
    private const long Entries = 2_000;

    private readonly TestDirectory _directory = new();
    private readonly CollectingLoggerFactory _log = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public async Task Start_FourCaches_HaveAFolderEach()
    {
        using var host = Build();
        await host.StartAsync();

        Assert.Equal(4, Directory.GetDirectories(_directory.Path).Length);
        Assert.Empty(Directory.GetFiles(_directory.Path));
        Assert.Empty(_log.Warnings);
    }

    [Fact]
    public async Task Set_SameKeysInAll_EachHasItsOwn()
    {
        using var host = Build();
        await host.StartAsync();
        Fill(host);

        AssertFilled(host);
    }

    [Fact]
    public async Task Restart_AllFilled_AllAreWarm()
    {
        using (var host = Build())
        {
            await host.StartAsync();
            Fill(host);
            await host.StopAsync();
        }

        using var again = Build();
        await again.StartAsync();
        AssertFilled(again);
        Assert.Empty(_log.Warnings);
    }

    [Fact]
    public async Task Restart_OneCacheAlone_FindsItsOwn()
    {
        using (var host = Build())
        {
            await host.StartAsync();
            Fill(host);
            await host.StopAsync();
        }

        using var provider = new ServiceCollection().AddFasterDistributedCache(o => App.Small(o, _directory.Path)).BuildServiceProvider();
        Assert.Equal(BitConverter.GetBytes(3L), provider.GetRequiredService<FasterDistributedCache>().Get("3"));
    }

    [Fact]
    public async Task Clear_OneOfThem_LeavesTheOthers()
    {
        using var host = Build();
        await host.StartAsync();
        Fill(host);
        host.Services.GetRequiredService<FasterCache<long, long>>().Clear();

        Assert.Equal(BitConverter.GetBytes(3L), host.Bytes().Get("3"));
        Found.All(Entries, host.Typed().CountHits(0, Entries, version: 1));
        Assert.False(host.Services.GetRequiredService<FasterCache<long, long>>().TryGet(3, out _));
    }

    private static void Fill(IHost host)
    {
        host.Typed().Fill(0, Entries, version: 1);
        for (long i = 0; i < Entries; i++)
        {
            host.Services.GetRequiredService<FasterCache<long, long>>().Set(i, -i);
            host.Bytes().Set($"{i}", BitConverter.GetBytes(i), new());
            host.Services.GetRequiredKeyedService<FasterDistributedCache>("sessions").Set($"{i}", BitConverter.GetBytes(2 * i), new());
        }
    }

    private static void AssertFilled(IHost host)
    {
        Found.All(Entries, host.Typed().CountHits(0, Entries, version: 1));
        for (long i = 0; i < Entries; i++)
        {
            Assert.True(host.Services.GetRequiredService<FasterCache<long, long>>().TryGet(i, out long value) && value == -i);
            Assert.Equal(BitConverter.GetBytes(i), host.Bytes().Get($"{i}"));
            Assert.Equal(BitConverter.GetBytes(2 * i), host.Services.GetRequiredKeyedService<FasterDistributedCache>("sessions").Get($"{i}"));
        }
    }

    private IHost Build()
    {
        var builder = App.NewBuilder(log: _log);
        builder.Services.AddFasterCache<long, Stamp>(o => App.Small(o, _directory.Path));
        builder.Services.AddFasterCache<long, long>(o => App.Small(o, _directory.Path));
        builder.Services.AddFasterDistributedCache(o => App.Small(o, _directory.Path));
        builder.Services.AddKeyedFasterDistributedCache("sessions", o => App.Small(o, _directory.Path));
        return builder.Build();
    }
}
