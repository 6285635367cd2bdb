namespace HybridCaching.Tests.Concurrency;

public sealed class CancellationTests : IDisposable
{
    private static readonly CancellationToken Cancelled = new(canceled: true);

    private readonly FasterCache<long, long> _cache = new(new FasterCacheOptions { MemoryBudget = "12MB" });

    public CancellationTests() => _cache.Set(1, 1);

    public void Dispose() => _cache.Dispose();

    [Fact]
    public async Task GetAsync_AlreadyCancelled_Throws() => await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await _cache.GetAsync(1, Cancelled));

    [Fact]
    public async Task GetAsync_AlreadyCancelled_NamesTheToken() =>
        Assert.Equal(Cancelled, (await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await _cache.GetAsync(1, Cancelled))).CancellationToken);

    [Fact]
    public async Task SetAsync_AlreadyCancelled_Throws() => await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await _cache.SetAsync(1, 2, cancellationToken: Cancelled));

    [Fact]
    public async Task SetAsync_AlreadyCancelled_StoresNothing()
    {
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await _cache.SetAsync(1, 2, cancellationToken: Cancelled));
        Assert.Equal(1, await _cache.GetAsync(1));
    }

    [Fact]
    public async Task GetOrAddAsync_AlreadyCancelled_Throws() =>
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await _cache.GetOrAddAsync(1, (_, _) => ValueTask.FromResult(2L), cancellationToken: Cancelled));

    [Fact]
    public async Task FlushAsync_AlreadyCancelled_Throws() => await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await _cache.FlushAsync(Cancelled));

    [Fact]
    public async Task GetAsync_AfterManyCancelled_StillAnswers()
    {
        for (int i = 0; i < 1_000; i++) await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await _cache.GetAsync(1, Cancelled));
        Assert.Equal(1, await _cache.GetAsync(1));
    }
}
