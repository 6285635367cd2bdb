using System.Collections.Concurrent;

namespace HybridCaching.Store;

/// <summary>Readers for those who have to wait for the disk: as many as reads may be outstanding. Having one keeps <see cref="Drain"/>, and with it Dispose, waiting.</summary>
internal sealed class ReaderPool<TReader>
    where TReader : LogReader
{
    private readonly ConcurrentStack<TReader> _idle = new();
    private readonly List<TReader> _all = [];
    private readonly SemaphoreSlim _free;
    private readonly Func<TReader> _create;
    private readonly int _capacity;
    private SessionCounters _counted;
    private int _drained;
    private volatile bool _closed;

    /// <param name="capacity">How many reads may be outstanding.</param>
    /// <param name="create">Makes a reader.</param>
    public ReaderPool(int capacity, Func<TReader> create)
    {
        _capacity = capacity;
        _create = create;
        _free = new SemaphoreSlim(capacity);
    }

    /// <summary>Called, with no lock held, when a reader was made and nobody has it yet.</summary>
    public Action? Created { get; init; }

    /// <summary>Takes a reader; null if all are still out when the time is over.</summary>
    public TReader? Take(TimeSpan timeout) => _free.Wait(timeout) && !_closed ? TakeIdle() : null;

    /// <inheritdoc cref="Take"/>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public async ValueTask<TReader?> TakeAsync(TimeSpan timeout, CancellationToken cancellationToken) =>
        await _free.WaitAsync(timeout, cancellationToken).ConfigureAwait(false) && !_closed ? TakeIdle() : null;

    /// <summary>Gives a reader back, with no read under way.</summary>
    public void Return(TReader reader)
    {
        _idle.Push(reader);
        _free.Release();
    }

    /// <summary>Gives a reader back as soon as its read has ended.</summary>
    public void Abandon(TReader reader)
    {
        if (reader.TryAbandon(() => Return(reader))) Return(reader);
    }

    /// <summary>Counts what was done by somebody who may have no reader any more.</summary>
    public void Count(in SessionCounters counters)
    {
        lock (_all) _counted += counters;
    }

    /// <summary>The counts of all readers, those in use included.</summary>
    public SessionCounters SumCounters()
    {
        SessionCounters sum;
        lock (_all)
        {
            sum = _counted;
            foreach (var reader in _all) sum += reader.Counters;
        }

        return sum;
    }

    /// <summary>Waits until every reader is back, and lets none out any more; false if some were not back in time: then it may be called again.</summary>
    public bool Drain(TimeSpan timeout)
    {
        long end = Environment.TickCount64 + (long)timeout.TotalMilliseconds;
        if (_closed) return SpinWait.SpinUntil(() => AreAllBack, timeout);
        while (_drained < _capacity && _free.Wait((int)Math.Max(0, end - Environment.TickCount64))) _drained++; // who is interrupted here leaves the rest to whoever goes on
        _closed = true;
        _free.Release(int.MaxValue / 2); // whoever waits for a reader gets none
        return _drained == _capacity;
    }

    private bool AreAllBack
    {
        get
        {
            lock (_all) return _idle.Count == _all.Count;
        }
    }

    private TReader? TakeIdle()
    {
        if (!_idle.TryPop(out var reader)) reader = Create();
        if (!_closed) return reader;
        _idle.Push(reader); // it was there when all were looked for
        return null;
    }

    private TReader Create()
    {
        try
        {
            var created = _create();
            Created?.Invoke();
            lock (_all) _all.Add(created);
            return created;
        }
        catch
        {
            _free.Release(); // whoever is interrupted there has none
            throw;
        }
    }
}
