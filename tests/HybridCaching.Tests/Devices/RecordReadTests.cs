using System.Diagnostics;
using HybridCaching.Configuration;
using HybridCaching.Devices;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Devices;

/// <summary>How long a read is waited for. The timer stays armed from one wait to the next, and no wait may be ended by another's.</summary>
public sealed class RecordReadTests
{
    private static readonly TimeSpan Moment = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan Longer = TimeSpan.FromMilliseconds(80);

    private readonly RecordRead _read = new(MemoryPlan.BlockBytes);

    [Fact]
    public async Task WaitAsync_NoAnswer_EndsWithTheTime()
    {
        Assert.False(await WaitForAnswerAsync(Moment));
    }

    [Fact]
    public async Task WaitAsync_Answered_IsTrue()
    {
        Assert.True(await WaitAndAnswerAsync(Until.Deadline));
    }

    [Fact]
    public async Task WaitAsync_ShorterThanTheOneBefore_EndsWithItsTime()
    {
        await WaitAndAnswerAsync(Until.Deadline);

        Assert.False(await WaitForAnswerAsync(Moment));
    }

    [Fact]
    public async Task WaitAsync_LongerThanTheOneBefore_EndsWithItsTimeAndNotBefore()
    {
        await WaitAndAnswerAsync(Moment);
        long start = Stopwatch.GetTimestamp();

        Assert.False(await WaitForAnswerAsync(Longer));
        Assert.InRange(Stopwatch.GetElapsedTime(start), Longer - TimeSpan.FromMilliseconds(16), TimeSpan.MaxValue); // the tick of the system's clock
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(60_000)]
    public async Task WaitAsync_TimerOfTheOneBeforeComes_GoesOn(int milliseconds)
    {
        await WaitAndAnswerAsync(Moment);
        _read.BeginWaiting(0);
        var wait = _read.WaitAsync(TimeSpan.FromMilliseconds(milliseconds), CancellationToken.None).AsTask();
        await PassAsync(Longer); // the timer of the first has come by then
        Assert.False(wait.IsCompleted);

        _read.Signal();
        Assert.True(await wait);
    }

    [Fact]
    public async Task WaitAsync_AfterATimerThatNobodyWaitedFor_EndsWithItsTime()
    {
        await WaitAndAnswerAsync(Moment);
        await PassAsync(Longer);

        Assert.False(await WaitForAnswerAsync(Moment));
    }

    /// <summary>Waits for an answer that never comes, to another read.</summary>
    private static async Task PassAsync(TimeSpan time)
    {
        var other = new RecordRead(MemoryPlan.BlockBytes);
        other.BeginWaiting(0);
        await other.WaitAsync(time, CancellationToken.None);
    }

    private async Task<bool> WaitAndAnswerAsync(TimeSpan timeout)
    {
        _read.BeginWaiting(0);
        var wait = _read.WaitAsync(timeout, CancellationToken.None);
        _read.Signal();
        bool isAnswered = await wait;
        _read.TakeEnded();
        return isAnswered;
    }

    private async Task<bool> WaitForAnswerAsync(TimeSpan timeout)
    {
        _read.BeginWaiting(0);
        return await _read.WaitAsync(timeout, CancellationToken.None);
    }
}
