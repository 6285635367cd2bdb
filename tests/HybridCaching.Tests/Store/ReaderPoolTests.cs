using HybridCaching.Store;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Store;

/// <summary>Who closes a cache waits for all readers.</summary>
public sealed class ReaderPoolTests
{
    /// <summary>Another thread goes on where the first was interrupted.</summary>
    [Fact]
    public void Drain_InterruptedBefore_EndsWhenTheLastReaderIsBack()
    {
        var pool = new ReaderPool<LogReader>(capacity: 2, () => throw new InvalidOperationException());
        var free = PrivateField.Of<SemaphoreSlim>(pool, "_free");
        Assert.True(free.Wait(0)); // one is out
        var closing = Crew.Start(() => Record.Exception(() => pool.Drain(Until.Deadline)));
        Until.True(() => free.CurrentCount == 0 && (closing.ThreadState & ThreadState.WaitSleepJoin) != 0, "it waits for the other one");
        closing.Interrupt();
        Assert.True(closing.Join(Until.Deadline));

        free.Release();

        Assert.True(pool.Drain(TimeSpan.FromSeconds(1)));
    }
}
