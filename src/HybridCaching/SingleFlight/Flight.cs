using HybridCaching.Diagnostics;

namespace HybridCaching.SingleFlight;

/// <summary>One run of a factory for one key, and everybody who waits for it.</summary>
internal sealed class Flight<TValue>
{
    private readonly TaskCompletionSource<TValue> _result = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly CancellationTokenSource _abandoned = new();
    private int _passengers = 1;
    private volatile bool _stale;

    /// <summary>The value or the failure, for every passenger.</summary>
    public Task<TValue> Result => _result.Task;

    /// <summary>Cancelled once the last passenger has left.</summary>
    public CancellationToken Abandoned => _abandoned.Token;

    /// <summary>The key was written or removed meanwhile: the value is for the passengers only and must not be stored.</summary>
    public bool IsStale
    {
        get => _stale;
        set => _stale = value;
    }

    /// <summary>The thread that runs a factory which is not asynchronous, and nothing else until it has landed; 0 for none. Who is on it must not wait for the result. Whatever others read here, it is not their own.</summary>
    public int PilotThread { get; set; }

    /// <summary>Comes aboard; false when everybody has left and the flight is being given up.</summary>
    public bool TryBoard()
    {
        int seen = Volatile.Read(ref _passengers);
        while (seen > 0)
        {
            int now = Interlocked.CompareExchange(ref _passengers, seen + 1, seen);
            if (now == seen) return true;
            seen = now;
        }

        return false;
    }

    /// <summary>Waits for the result, or leaves when the caller's own token is cancelled. The others are not affected.</summary>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled.</exception>
    public async ValueTask<TValue> WaitAsync(CancellationToken cancellationToken)
    {
        try
        {
            return await _result.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested && !_result.Task.IsCompleted)
        {
            if (Interlocked.Decrement(ref _passengers) == 0) CancelFactory();
            throw;
        }
    }

    /// <summary>The factory's callbacks may hang or throw; that is not the last passenger's concern.</summary>
    private void CancelFactory() => _abandoned.CancelAsync().ObserveFaults();

    public void Land(TValue value) => _result.TrySetResult(value);

    public void Crash(Exception failure)
    {
        if (failure is OperationCanceledException cancelled && Abandoned.IsCancellationRequested) _result.TrySetCanceled(cancelled.CancellationToken);
        else _result.TrySetException(failure);
        _ = _result.Task.Exception; // everybody may have left: nobody else would observe it
    }
}
