using HybridCaching.Diagnostics;
using HybridCaching.Tests.Support;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace HybridCaching.Tests.Hosting;

/// <summary>A directory that cannot be used keeps no host from starting, serving and stopping.</summary>
public sealed class UnusableDirectoryTests : IDisposable
{
    private const int Entries = 1_000;

    private readonly TestDirectory _directory = new();
    private readonly CollectingLoggerFactory _log = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public async Task Host_ReadOnlyRoot_ServesFromMemoryAndSaysSo()
    {
        using var mount = new MountedDirectory();
        mount.MakeReadOnly();

        await AssertServesAsync(mount.Path);
    }

    [Fact]
    public async Task Host_NoPermission_ServesFromMemoryAndSaysSo()
    {
        using var locked = FolderAttribute.Immutable(_directory.Path);

        await AssertServesAsync(_directory.Path);
    }

    [Fact]
    public async Task Host_FileInPlaceOfTheDirectory_ServesFromMemoryAndSaysSo()
    {
        string path = _directory.Combine("caches");
        File.WriteAllText(path, "mine");

        await AssertServesAsync(path);
        Assert.Equal("mine", File.ReadAllText(path));
    }

    [Fact]
    public async Task Host_FileInPlaceOfTheFolder_ServesFromMemoryAndSaysSo()
    {
        File.WriteAllText(_directory.Combine(App.TypedName), "mine");
        File.WriteAllText(_directory.Combine(App.BytesName), "mine");

        await AssertServesAsync(_directory.Path);
    }

    [Fact]
    public async Task Host_ReadOnlyRootAndThrowWanted_DoesNotStart()
    {
        using var mount = new MountedDirectory();
        mount.MakeReadOnly();
        using var host = App.NewBytes(mount.Path, change: o => o.WhenDirectoryUnavailable = DirectoryUnavailable.Throw);

        Assert.Contains(mount.Path, (await Assert.ThrowsAsync<IOException>(() => host.StartAsync())).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Host_RootBecomesWritable_TakesItOver()
    {
        using var mount = new MountedDirectory("256m");
        mount.MakeReadOnly();
        using var host = await StartAsync(mount.Path);
        mount.MakeWritable();

        Until.True(() => host.Typed().GetStatistics().DiskUnavailableReason is null, "the directory is taken over");
        await host.StopAsync();
    }

    /// <summary>The checkpoint cannot be deleted while the host rests with it: what comes then is served all the same, and somebody is told.</summary>
    [Fact]
    public async Task Members_CheckpointCannotBeDeletedAfterStop_Work()
    {
        using var host = await StartAsync(_directory.Path);
        host.Typed().Fill(0, Entries, version: 1);
        await host.StopAsync();
        using (FolderAttribute.Undeletable(_directory.Combine(App.TypedName)))
        {
            host.Typed().Fill(0, Entries, version: 2);
            Found.All(Entries, host.Typed().CountHits(0, Entries, version: 2));
        }

        Assert.Single(_log.Entries, e => e.Id.Name == nameof(Log.CheckpointRemains));
        host.Dispose();
        using var next = await StartAsync(_directory.Path);
        Found.All(Entries, next.Typed().CountHits(0, Entries, version: 2));
    }

    private async Task AssertServesAsync(string directory)
    {
        using (var host = await StartAsync(directory))
        {
            host.Typed().Fill(0, Entries, version: 1);
            host.Bytes().Set("key", App.Value, new());
            Found.All(Entries, host.Typed().CountHits(0, Entries, version: 1));
            Assert.Equal(App.Value, host.Bytes().Get("key"));

            var report = await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync();
            Assert.Equal(HealthStatus.Degraded, report.Status);
            Assert.Contains(directory, report.Entries.Single().Value.Description, StringComparison.Ordinal);
            await host.StopAsync();
        }

        var warnings = _log.Entries.Where(e => e.Level >= LogLevel.Warning && e.Message.StartsWith("Cache ", StringComparison.Ordinal));
        Assert.Equal([nameof(Log.DirectoryUnavailable), nameof(Log.DirectoryUnavailable)], warnings.Select(e => e.Id.Name));
    }

    private async Task<IHost> StartAsync(string directory)
    {
        var builder = App.NewBuilder(log: _log);
        builder.Services.AddFasterCache<long, Stamp>(o => App.Small(o, directory, App.TypedName));
        builder.Services.AddFasterDistributedCache(o => App.Small(o, directory, App.BytesName));
        builder.Services.AddHealthChecks().AddFasterCache();
        var host = builder.Build();
        await host.StartAsync();
        return host;
    }
}
