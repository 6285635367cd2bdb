using HybridCaching.SingleFlight;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.SingleFlight;

public sealed class FlightTests
{
    private readonly Flight<int> _flight = new();

    [Fact]
    public async Task WaitAsync_Landed_IsTheValue()
    {
        var waiting = _flight.WaitAsync(CancellationToken.None).AsTask();
        _flight.Land(42);
        Assert.Equal(42, await waiting.WaitAsync(Until.Deadline));
    }

    [Fact]
    public async Task WaitAsync_Crashed_ThrowsTheFailure()
    {
        var failure = new InvalidDataException("factory");
        _flight.Crash(failure);
        Assert.Same(failure, await Assert.ThrowsAsync<InvalidDataException>(async () => await _flight.WaitAsync(CancellationToken.None)));
    }

    [Fact]
    public async Task WaitAsync_OwnTokenCancelled_Throws()
    {
        using var cancel = new CancellationTokenSource();
        var waiting = _flight.WaitAsync(cancel.Token).AsTask();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting.WaitAsync(Until.Deadline));
    }

    [Fact]
    public async Task WaitAsync_OtherWaiterCancelled_GoesOn()
    {
        _flight.TryBoard();
        using var cancel = new CancellationTokenSource();
        var leaving = _flight.WaitAsync(cancel.Token).AsTask();
        var staying = _flight.WaitAsync(CancellationToken.None).AsTask();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => leaving);
        _flight.Land(7);
        Assert.Equal(7, await staying.WaitAsync(Until.Deadline));
    }

    [Fact]
    public async Task Abandoned_OneOfTwoLeft_IsNotCancelled()
    {
        _flight.TryBoard();
        await LeaveAsync();
        Assert.False(_flight.Abandoned.IsCancellationRequested);
    }

    [Fact]
    public async Task Abandoned_AllLeft_IsCancelled()
    {
        _flight.TryBoard();
        await LeaveAsync();
        await LeaveAsync();
        Until.True(() => _flight.Abandoned.IsCancellationRequested, "the factory's token is cancelled");
    }

    [Fact]
    public async Task TryBoard_AllLeft_IsFalse()
    {
        await LeaveAsync();
        Assert.False(_flight.TryBoard());
    }

    [Fact]
    public async Task WaitAsync_LastWaiterLeavesAndACallbackThrows_IsCancellationAllTheSame()
    {
        using var registration = _flight.Abandoned.Register(() => throw new InvalidDataException("a callback of the factory's"));
        await LeaveAsync();
    }

    [Fact]
    public async Task WaitAsync_LastWaiterLeavesAndACallbackHangs_IsNotHeldUp()
    {
        using var hang = new ManualResetEventSlim();
        using var registration = _flight.Abandoned.Register(() => hang.Wait(Until.Deadline));
        using var cancel = new CancellationTokenSource();
        var waiting = _flight.WaitAsync(cancel.Token).AsTask();
        await cancel.CancelAsync();
        var first = await Task.WhenAny(waiting, Task.Delay(Until.Deadline / 3));
        hang.Set();
        Assert.Same(waiting, first);
    }

    [Fact]
    public async Task TryBoard_WhileTheLastWaiterLeaves_EitherBoardsOrIsTooLate()
    {
        for (int round = 0; round < 500; round++)
        {
            var flight = new Flight<int>();
            using var cancel = new CancellationTokenSource();
            var leaving = flight.WaitAsync(cancel.Token).AsTask();
            bool boarded = false;
            Crew.Run(cancel.Cancel, () => boarded = flight.TryBoard());
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => leaving.WaitAsync(Until.Deadline));
            Assert.Equal(!boarded, flight.Abandoned.IsCancellationRequested);
        }
    }

    private async Task LeaveAsync()
    {
        using var cancel = new CancellationTokenSource();
        var waiting = _flight.WaitAsync(cancel.Token).AsTask();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting.WaitAsync(Until.Deadline));
    }
}
