using System.Diagnostics;
using HybridCaching.Benchmarks.Contestants;

namespace HybridCaching.Benchmarks.Workloads;

/// <summary>Threads of their own that wait at a barrier, are released together and share the keys in equal, adjoining slices.</summary>
internal sealed class WorkerTeam : IDisposable
{
    /// <summary>Keys per call: many calls, so that the runtime compiles the loops of a contestant with full optimisation during the warm-up.</summary>
    private const int ChunkLength = 4096;

    private readonly Barrier _barrier;
    private readonly Thread[] _threads;
    private readonly long[] _finishedAt;
    private readonly int[] _completed;
    private readonly Exception?[] _failures;

    private IContestant? _contestant;
    private Operation? _operation;
    private ReadOnlyMemory<long> _keys;
    private bool _leaving;

    public WorkerTeam(int workers)
    {
        _barrier = new Barrier(workers + 1);
        _finishedAt = new long[workers];
        _completed = new int[workers];
        _failures = new Exception?[workers];
        _threads = new Thread[workers];
        for (int worker = 0; worker < workers; worker++)
        {
            int number = worker;
            _threads[worker] = new Thread(() => Work(number)) { IsBackground = true, Name = $"worker {worker}" };
            _threads[worker].Start();
        }
    }

    public int Workers => _threads.Length;

    public Outcome Run(IContestant contestant, Operation operation, ReadOnlyMemory<long> keys)
    {
        _contestant = contestant;
        _operation = operation;
        _keys = keys;
        long releasedAt = Stopwatch.GetTimestamp();
        _barrier.SignalAndWait();
        _barrier.SignalAndWait();
        _contestant = null;
        if (_failures.FirstOrDefault(failure => failure is not null) is { } first) throw new InvalidOperationException($"{contestant.Name}: {first.Message}", first);
        return new Outcome(Stopwatch.GetElapsedTime(releasedAt, _finishedAt.Max()), keys.Length, _completed.Sum());
    }

    public void Dispose()
    {
        _leaving = true;
        _barrier.SignalAndWait();
        foreach (var thread in _threads) thread.Join();
        _barrier.Dispose();
    }

    private void Work(int worker)
    {
        while (true)
        {
            _barrier.SignalAndWait();
            if (_leaving) return;
            try
            {
                _failures[worker] = null;
                _completed[worker] = Execute(worker);
            }
            catch (Exception failure)
            {
                _failures[worker] = failure;
            }

            _finishedAt[worker] = Stopwatch.GetTimestamp();
            _barrier.SignalAndWait();
        }
    }

    private int Execute(int worker)
    {
        int start = (int)((long)_keys.Length * worker / Workers);
        int end = (int)((long)_keys.Length * (worker + 1) / Workers);
        int completed = 0;
        for (; start < end; start += ChunkLength)
            completed += _operation!(_contestant!, worker, _keys.Span[start..Math.Min(end, start + ChunkLength)]);
        return completed;
    }
}
