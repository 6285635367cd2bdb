using HybridCaching.Devices;

namespace HybridCaching.Tests.Concurrency;

/// <summary>A disk that fails now and then: one read in 200, one write in 40; some requests take long.</summary>
internal sealed class FlakyDisk(int seed)
{
    private const int ReadErrorsOneIn = 200;
    private const int LostWritesOneIn = 40;
    private const int DelaysOneIn = 64;

    private readonly Lock _lock = new();
    private readonly Random _random = new(seed);

    public bool Fails(IoRequest request)
    {
        bool fails;
        bool isSlow;
        lock (_lock)
        {
            fails = request.Kind switch
            {
                IoKind.Read => _random.Next(ReadErrorsOneIn) == 0,
                IoKind.Write => _random.Next(LostWritesOneIn) == 0,
                _ => false,
            };
            isSlow = _random.Next(DelaysOneIn) == 0;
        }

        if (isSlow) Thread.Sleep(1);
        return fails;
    }
}
