using HybridCaching.Diagnostics;
using HybridCaching.Tests.Concurrency;

namespace HybridCaching.Tests.Diagnostics;

public sealed class StripedCounterTests
{
    private const int Increments = 100_000;

    private readonly StripedCounter _counter = new();

    [Fact]
    public void Sum_New_IsZero() => Assert.Equal(0, _counter.Sum());

    [Fact]
    public void Sum_OneThread_IsExact()
    {
        for (int i = 0; i < Increments; i++) _counter.Increment();
        Assert.Equal(Increments, _counter.Sum());
    }

    [Theory]
    [InlineData(2)]
    [InlineData(32)]
    public void Sum_ManyThreads_IsExact(int threads)
    {
        Crew.Run(threads, _ =>
        {
            for (int i = 0; i < Increments; i++) _counter.Increment();
        });
        Assert.Equal(threads * Increments, _counter.Sum());
    }

    [Fact]
    public void Sum_IncrementedDeepDownTheStack_IsExact()
    {
        Deep(2_000);
        Assert.Equal(2_001, _counter.Sum());
    }

    private void Deep(int levels)
    {
        Span<byte> frame = stackalloc byte[128];
        frame.Fill((byte)levels);
        _counter.Increment();
        if (levels > 0) Deep(levels - 1);
        Assert.Equal((byte)levels, frame[^1]);
    }
}
