using HybridCaching.Devices;

namespace HybridCaching.Tests.Concurrency;

/// <summary>A disk with errors and delays, some of them longer than the timeout of the cache.</summary>
internal sealed class StressDisk(int seed, TimeSpan longDelay)
{
    private const int ErrorsOneIn = 64;
    private const int DelaysOneIn = 16;
    private const int LongReadsOneIn = 5_000;
    private const int LongWritesOneIn = 200;

    private int _requests = seed * 7919;

    public bool Fails(IoRequest request)
    {
        var random = new Random(Interlocked.Increment(ref _requests));
        if (random.Next(request.Kind == IoKind.Write ? LongWritesOneIn : LongReadsOneIn) == 0) Thread.Sleep(longDelay);
        else if (random.Next(DelaysOneIn) == 0) Thread.Sleep(random.Next(2));
        return request.Kind != IoKind.Remove && random.Next(ErrorsOneIn) == 0;
    }
}
