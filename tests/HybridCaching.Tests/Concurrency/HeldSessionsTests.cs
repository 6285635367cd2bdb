using HybridCaching.Store;
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

        var reads = BeginWhileHeld(cache.Tiers.Sessions, () => cache.GetManyAsync(keys, new Stamp[Entries], new bool[Entries], TestContext.Current.CancellationToken));

        Assert.Equal(Entries, await reads.WaitAsync(Until.Deadline, TestContext.Current.CancellationToken));
    }

    [Fact]
    public async Task EnumerateAsync_SessionsHeld_BlocksNoThread()
    {
        using var cache = StampCache.Open(_directory.Path);
        cache.Fill(0, Entries, version: 1);
        await using var entries = cache.EnumerateAsync(TestContext.Current.CancellationToken).GetAsyncEnumerator(TestContext.Current.CancellationToken);

        Assert.Equal(Entries, await CountAsync(cache.Tiers.Sessions, entries));
    }

    [Fact]
    public async Task ScanKeysAsync_SessionsHeld_BlocksNoThread()
    {
        using var cache = OpenCache.Open(_directory.Path);
        for (int i = 0; i < Entries; i++) cache.Set($"key {i}", [1], OpenCache.NoExpiration);
        await using var keys = cache.ScanKeysAsync("*", TestContext.Current.CancellationToken).GetAsyncEnumerator(TestContext.Current.CancellationToken);

        Assert.Equal(Entries, await CountAsync(cache.Tiers.Sessions, keys));
    }

    [Fact]
    public async Task GetAsync_WindowOfAHotEntryIsToBeRenewedAndSessionsHeld_BlocksNoThread()
    {
        var clock = new ManualTimeProvider();
        var window = TimeSpan.FromMinutes(20);
        using var cache = BytesCache.Open(_directory.Path, change: o => o.TimeProvider = clock);
        cache.Set("key", [1], OpenCache.Sliding(window));
        for (int i = 0; i < Entries; i++) Assert.NotNull(cache.Get("key")); // it is in the hot tier
        clock.Advance(window * 3 / 4);

        var read = BeginWhileHeld(cache.Tiers.Sessions, () => new ValueTask<byte[]?>(cache.GetAsync("key")));

        Assert.Equal([1], await read.WaitAsync(Until.Deadline, TestContext.Current.CancellationToken));
        clock.Advance(window * 3 / 4);
        Assert.NotNull(cache.Get("key"));
    }

    public void Dispose() => _directory.Dispose();

    /// <summary>Begins to go through a sequence while sessions are held, and counts to its end.</summary>
    private static async Task<int> CountAsync<TSession, T>(SessionPool<TSession> sessions, IAsyncEnumerator<T> items)
        where TSession : LogSession
    {
        int count = 0;
        for (var next = BeginWhileHeld(sessions, items.MoveNextAsync); await next.WaitAsync(Until.Deadline); next = items.MoveNextAsync().AsTask()) count++;
        return count;
    }

    /// <summary>Makes a call while sessions are held, which returns without a result. Afterwards they are not held any more.</summary>
    private static Task<T> BeginWhileHeld<TSession, T>(SessionPool<TSession> sessions, Func<ValueTask<T>> begin)
        where TSession : LogSession
    {
        Assert.True(sessions.TryHold(Until.Deadline, CancellationToken.None));
        Task<T>? call = null;
        Crew.MustEnd("the call", () => call = begin().AsTask());
        Assert.False(call!.IsCompleted);
        sessions.Release();
        return call;
    }
}
