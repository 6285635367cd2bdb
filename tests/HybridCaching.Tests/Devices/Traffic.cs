using System.Collections.Concurrent;
using System.Diagnostics;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Devices;

/// <summary>Threads that use a cache all the time, each with keys of its own, so that it knows what each of them may hold: what was stored last, or nothing.</summary>
internal sealed class Traffic : IDisposable
{
    private const int Threads = 2;
    private const int KeysOfOne = 150_000;
    private const int Removed = -1;

    private readonly FasterCache<long, Stamp> _cache;
    private readonly ConcurrentQueue<string> _failures = new();
    private readonly List<Thread> _threads;
    private readonly long[] _longest = new long[Threads * 16];
    private int _version;
    private volatile bool _stop;

    public Traffic(FasterCache<long, Stamp> cache)
    {
        _cache = cache;
        _threads = [.. Enumerable.Range(0, Threads).Select(me => Crew.Start(() => Work(me)))];
    }

    public IReadOnlyList<string> Failures => [.. _failures];

    public TimeSpan LongestCall => Stopwatch.GetElapsedTime(0, _longest.Max());

    public void Stop()
    {
        _stop = true;
        foreach (var thread in _threads) Assert.True(thread.Join(Until.Deadline), "the traffic ends");
    }

    public void Dispose() => Stop();

    private void Work(int me)
    {
        var random = new Random(me);
        var versions = new int[KeysOfOne];
        long first = me * (long)KeysOfOne;
        try
        {
            for (int i = 0; i < KeysOfOne; i++) Set(me, first, versions, i);
            while (!_stop)
            {
                int key = random.Next(KeysOfOne);
                switch (random.Next(8))
                {
                    case 0:
                        Timed(me, () => _cache.Remove(first + key));
                        versions[key] = Removed;
                        break;
                    case < 4:
                        Set(me, first, versions, key);
                        break;
                    default:
                        Judge(me, first + key, versions[key]);
                        break;
                }
            }
        }
        catch (Exception e)
        {
            _failures.Enqueue(e.ToString());
        }
    }

    private void Set(int me, long first, int[] versions, int key)
    {
        int version = Interlocked.Increment(ref _version);
        versions[key] = version;
        Timed(me, () => _cache.Set(first + key, Stamp.Of(first + key, version)));
    }

    private void Judge(int me, long key, int version)
    {
        Stamp value = default;
        bool found = false;
        Timed(me, () => found = _cache.TryGet(key, out value));
        if (found && (version == Removed || value != Stamp.Of(key, version))) _failures.Enqueue($"key {key}: {value}, not version {version}");
    }

    private void Timed(int me, Action call)
    {
        long start = Stopwatch.GetTimestamp();
        call();
        long took = Stopwatch.GetTimestamp() - start;
        if (took > _longest[me * 16]) _longest[me * 16] = took;
    }
}
