using HybridCaching.SingleFlight;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.SingleFlight;

public sealed class FlightTableTests
{
    private readonly FlightTable<long, int> _table = new();

    [Fact]
    public void Join_FirstCaller_IsPilot()
    {
        _table.Join(1, out bool isPilot);
        Assert.True(isPilot);
    }

    [Fact]
    public void Join_SecondCaller_SharesTheFlight()
    {
        var flight = _table.Join(1, out _);
        Assert.Same(flight, _table.Join(1, out bool isPilot));
        Assert.False(isPilot);
    }

    [Fact]
    public void Join_OtherKey_IsAnotherFlight() => Assert.NotSame(_table.Join(1, out _), _table.Join(2, out _));

    [Fact]
    public void Join_Closed_StartsAnother()
    {
        var flight = _table.Join(1, out _);
        _table.Close(1, flight);
        Assert.NotSame(flight, _table.Join(1, out bool isPilot));
        Assert.True(isPilot);
    }

    [Fact]
    public void Close_OfAnOlderFlight_LeavesTheNewerOne()
    {
        var older = _table.Join(1, out _);
        _table.MarkStale(1);
        var newer = _table.Join(1, out _);
        _table.Close(1, older);
        Assert.Same(newer, _table.Join(1, out _));
    }

    [Fact]
    public void MarkStale_Running_MarksIt()
    {
        var flight = _table.Join(1, out _);
        _table.MarkStale(1);
        Assert.True(flight.IsStale);
    }

    [Fact]
    public void MarkStale_Running_LetsNewcomersStartAnother()
    {
        var flight = _table.Join(1, out _);
        _table.MarkStale(1);
        Assert.NotSame(flight, _table.Join(1, out _));
    }

    [Fact]
    public void MarkStale_OtherKey_LeavesItAlone()
    {
        var flight = _table.Join(1, out _);
        _table.MarkStale(2);
        Assert.False(flight.IsStale);
    }

    [Fact]
    public void MarkStale_AfterManyClosed_StillMarks()
    {
        for (int i = 0; i < 1000; i++)
        {
            var closed = _table.Join(i, out _);
            _table.Close(i, closed);
            _table.Close(i, closed);
        }

        var flight = _table.Join(1, out _);
        _table.MarkStale(1);
        Assert.True(flight.IsStale);
    }

    [Fact]
    public void MarkAllStale_Running_MarksEach()
    {
        var flights = Enumerable.Range(0, 100).Select(key => _table.Join(key, out _)).ToList();
        _table.MarkAllStale();
        Assert.All(flights, flight => Assert.True(flight.IsStale));
    }

    [Fact]
    public async Task Join_AllPassengersLeft_StartsAnother()
    {
        var flight = _table.Join(1, out _);
        using var cancel = new CancellationTokenSource();
        var waiting = flight.WaitAsync(cancel.Token).AsTask();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting.WaitAsync(Until.Deadline));
        Assert.NotSame(flight, _table.Join(1, out bool isPilot));
        Assert.True(isPilot);
    }

    [Fact]
    public void Join_ManyThreads_HaveOnePilotPerFlight()
    {
        for (int round = 0; round < 50; round++)
        {
            int pilots = 0;
            var flights = new Flight<int>[16];
            int key = round;
            Crew.Run(flights.Length, me =>
            {
                flights[me] = _table.Join(key, out bool isPilot);
                if (isPilot) Interlocked.Increment(ref pilots);
            });
            Assert.Equal(1, pilots);
            Assert.Single(flights.Distinct());
        }
    }
}
