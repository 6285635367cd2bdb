namespace HybridCaching.Devices;

/// <summary>How many bytes a second may be written on average: a bucket that fills with time, and that every write takes from.</summary>
/// <remarks>What has to be written is written even from an empty bucket, which then is in debt; no deeper than what it holds, so that a storm is not paid for all day.</remarks>
internal sealed class WriteBudget
{
    /// <summary>It holds what comes in so many seconds.</summary>
    private const int Seconds = 10;

    private readonly Lock _lock = new();
    private readonly TimeProvider _clock;
    private readonly double _bytesPerSecond;
    private readonly double _capacity;
    private double _balance;
    private long _filledAt;
    private volatile bool _isShort;

    /// <param name="bytesPerSecond">How many bytes a second.</param>
    /// <param name="mostAtOnce">What <see cref="TryTake"/> is asked for at most.</param>
    /// <param name="clock">Tells the time.</param>
    public WriteBudget(long bytesPerSecond, int mostAtOnce, TimeProvider clock)
    {
        _clock = clock;
        _bytesPerSecond = bytesPerSecond;
        _capacity = Math.Max(_bytesPerSecond * Seconds, mostAtOnce);
        _balance = _capacity;
        _filledAt = clock.GetTimestamp();
    }

    /// <summary>Whether something was refused, and the bucket is less than half full since.</summary>
    public bool IsShort => _isShort;

    /// <summary>Takes what is to be written, if there is as much.</summary>
    public bool TryTake(int bytes)
    {
        lock (_lock)
        {
            Fill();
            bool isEnough = _balance >= bytes;
            if (isEnough) _balance -= bytes;
            else _isShort = true;
            return isEnough;
        }
    }

    /// <summary>Takes what has to be written.</summary>
    public void Take(int bytes)
    {
        lock (_lock)
        {
            Fill();
            _balance = Math.Max(_balance - bytes, -_capacity);
        }
    }

    private void Fill()
    {
        long now = _clock.GetTimestamp();
        _balance = Math.Min(_balance + (_clock.GetElapsedTime(_filledAt, now).TotalSeconds * _bytesPerSecond), _capacity);
        _filledAt = now;
        if (_balance >= _capacity / 2) _isShort = false;
    }
}
