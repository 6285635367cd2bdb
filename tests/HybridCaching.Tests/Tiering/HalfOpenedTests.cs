using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Tiering;

public sealed class HalfOpenedTests : IDisposable
{
    private readonly TestDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public void Open_AfterAConstructorThatFailedLate_GetsTheFolder()
    {
        Assert.Throws<NotSupportedException>(() => StampCache.Open(_directory.Path, housekeeping: new NoTimers()));
        using var cache = StampCache.Open(_directory.Path, change: o => o.WhenDirectoryUnavailable = DirectoryUnavailable.Throw);
        cache.Fill(0, 10, version: 1);
        Assert.Equal(10, cache.CountHits(0, 10, version: 1));
    }

    private sealed class NoTimers : TimeProvider
    {
        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) => throw new NotSupportedException();
    }
}
