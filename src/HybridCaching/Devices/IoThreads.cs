using System.Diagnostics.CodeAnalysis;

namespace HybridCaching.Devices;

/// <summary>A few dedicated threads that run the most urgent request first, and equally urgent ones in the order they came. The thread pool is not involved: it may be busy waiting for us.</summary>
/// <remarks>The queue has no bound of its own: writes are bounded by the pages of the log, reads by the readers of the pool.</remarks>
internal sealed class IoThreads : IDisposable
{
    private readonly PriorityQueue<IoRequest, (IoUrgency, long)> _queue = new();
    private readonly Thread[] _threads;
    private readonly IoRequest?[] _running;
    private readonly Action<IoRequest> _run;
    private bool _closed;
    private long _posted;
    private long _ended;

    public IoThreads(string name, int count, Action<IoRequest> run)
    {
        _run = run;
        _threads = new Thread[count];
        _running = new IoRequest?[count];
        for (int i = 0; i < count; i++)
        {
            int me = i;
            _threads[i] = new Thread(() => Work(me), maxStackSize: 1 << 20) { IsBackground = true, Name = $"{name}-io-{i}" };
            _threads[i].UnsafeStart(); // whoever opens the cache shall not be traced as who does its I/O
        }
    }

    /// <summary>How many threads there are.</summary>
    public int Count => _threads.Length;

    /// <summary>How many requests have ended: it stands still while the disk hangs, or has nothing to do.</summary>
    public long Ended => Interlocked.Read(ref _ended);

    /// <summary>Whether there are requests that have not ended.</summary>
    public bool IsBusy => Interlocked.Read(ref _posted) > Ended;

    /// <summary>Queues a request without waiting; false once closed.</summary>
    public bool TryPost(IoRequest request)
    {
        Enter();
        try
        {
            if (_closed) return false;
            _queue.Enqueue(request, (request.Urgency, _posted++));
            Monitor.Pulse(_queue);
            return true;
        }
        finally
        {
            Monitor.Exit(_queue);
        }
    }

    /// <summary>The requests that are being carried out, one for each thread that is not idle, and those that wait for a thread.</summary>
    public (IoRequest[] Running, IoRequest[] Waiting) Unfinished()
    {
        lock (_queue) return ([.. _running.OfType<IoRequest>()], [.. _queue.UnorderedItems.Select(static item => item.Element)]);
    }

    /// <summary>Whether every thread has been busy with one step of a request for longer than this: nothing that is posted will be looked at soon.</summary>
    public bool HaveAllHungFor(TimeSpan patience)
    {
        Enter();
        try
        {
            return Array.TrueForAll(_running, request => request?.HangsFor(patience) == true);
        }
        finally
        {
            Monitor.Exit(_queue);
        }
    }

    /// <summary>Takes no more requests, finishes those it has and ends its threads.</summary>
    public void Dispose()
    {
        lock (_queue)
        {
            _closed = true;
            Monitor.PulseAll(_queue);
        }

        foreach (var thread in _threads) thread.Join();
    }

    /// <summary>Takes the queue's lock, whatever happens to the thread: who posts may be inside FASTER, or has a read that somebody has to end. If he is interrupted here, he is when he waits next.</summary>
    private void Enter()
    {
        bool isInterrupted = false;
        while (true)
        {
            try
            {
                Monitor.Enter(_queue);
                break;
            }
            catch (ThreadInterruptedException)
            {
                isInterrupted = true;
            }
        }

        if (isInterrupted) Thread.CurrentThread.Interrupt();
    }

    private void Work(int me)
    {
        while (TryTake(me, out var request))
        {
            _run(request);
            Interlocked.Increment(ref _ended);
        }
    }

    private bool TryTake(int me, [NotNullWhen(true)] out IoRequest? request)
    {
        lock (_queue)
        {
            _running[me] = null;
            while (!_queue.TryDequeue(out request, out _))
            {
                if (_closed) return false;
                Monitor.Wait(_queue);
            }

            request.TouchedAt = Environment.TickCount64;
            _running[me] = request;
            return true;
        }
    }
}
