using System.Globalization;

namespace HybridCaching.Tests.Support;

/// <summary>What a <see cref="ChildCache"/> does in its process. Never part of a run of the suite.</summary>
public sealed class ChildCacheHost
{
    [Fact(Explicit = true)]
    public async Task Child_Started_HoldsItsCacheOpen()
    {
        string directory = Environment.GetEnvironmentVariable(ChildCache.DirectoryVariable)!;
        using var cache = StampCache.Open(directory);
        cache.Fill(0, long.Parse(Environment.GetEnvironmentVariable(ChildCache.EntriesVariable)!, CultureInfo.InvariantCulture), version: 1);
        await cache.FlushAsync();
        await File.WriteAllTextAsync(Path.Combine(directory, ChildCache.OpenFile), "");
        await Task.Delay(Timeout.Infinite);
    }
}
