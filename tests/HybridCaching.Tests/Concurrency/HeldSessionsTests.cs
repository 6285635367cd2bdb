using HybridCaching.Tests.Distributed;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Concurrency;

/// <summary>Calls that end asynchronously, while a checkpoint has all sessions: no thread waits.</summary>
public sealed class HeldSessionsTests : IDisposable
{
    private const int Entries = 2_000;

    private readonly TestDirectory _directory = new();

    [Fact]
    public async Task GetManyAsync_SessionsHeld_BlocksNoThread()
    {
        using var cache = StampCache.Open(_directory.Path);
        cache.Fill(0, Entries, version: 1);
        long[] keys = [.. Enumerable.Range(0, Entries).Select(i => (long)i)];
        Assert.True(cache.Tiers.Sessions.TryHold(Until.Deadline, CancellationToken.None));
        Task<int>? reads = null;

        Crew.MustEnd("GetManyAsync", () => reads = cache.GetManyAsync(keys, new Stamp[Entries], new bool[Entries], TestContext.Current.CancellationToken).AsTask());

        Assert.False(reads!.IsCompleted);
        cache.Tiers.Sessions.Release();
        Assert.Equal(Entries, await reads.WaitAsync(Until.Deadline, TestContext.Current.CancellationToken));
    }

    [Fact]
    public async Task EnumerateAsync_SessionsHeld_BlocksNoThread()
    {
        using var cache = StampCache.Open(_directory.Path);
        cache.Fill(0, Entries, version: 1);
        await using var entries = cache.EnumerateAsync(TestContext.Current.CancellationToken).GetAsyncEnumerator(TestContext.Current.CancellationToken);

        Assert.Equal(Entries, await CountWhileHeldAsync(cache.Tiers.Sessions.TryHold, cache.Tiers.Sessions.Release, entries));
    }

    [Fact]
    public async Task ScanKeysAsync_SessionsHeld_BlocksNoThread()
    {
        using var cache = OpenCache.Open(_directory.Path);
        for (int i = 0; i < Entries; i++) cache.Set($"key {i}", [1], OpenCache.NoExpiration);
        await using var keys = cache.ScanKeysAsync("*", TestContext.Current.CancellationToken).GetAsyncEnumerator(TestContext.Current.CancellationToken);

        Assert.Equal(Entries, await CountWhileHeldAsync(cache.Tiers.Sessions.TryHold, cache.Tiers.Sessions.Release, keys));
    }

    public void Dispose() => _directory.Dispose();

    /// <summary>Begins to go through a sequence while sessions are held, and goes on once they are not.</summary>
    private static async Task<int> CountWhileHeldAsync<T>(Func<TimeSpan, CancellationToken, bool> tryHold, Action release, IAsyncEnumerator<T> items)
    {
        Assert.True(tryHold(Until.Deadline, CancellationToken.None));
        Task<bool>? next = null;
        Crew.MustEnd("MoveNextAsync", () => next = items.MoveNextAsync().AsTask());
        Assert.False(next!.IsCompleted);
        release();
        int count = 0;
        for (; await next.WaitAsync(Until.Deadline); next = items.MoveNextAsync().AsTask()) count++;
        return count;
    }
}
