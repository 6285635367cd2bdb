using System.Threading.Tasks.Sources;
using HybridCaching.Configuration;
using HybridCaching.Diagnostics;
using Microsoft.Win32.SafeHandles;

namespace HybridCaching.Devices;

/// <summary>Reads of single records, one after the other: a buffer for the blocks a record lies in, and a signal for who waits.</summary>
/// <remarks>
/// The blocks read last stay: records written together are often read together. Not thread-safe; while a read is posted, the buffer belongs to the thread that carries it out.
/// </remarks>
internal sealed unsafe class RecordRead : IValueTaskSource<bool>
{
    /// <summary>Mostly yields to other threads, which may have reads of their own to hand in: on a fast disk most reads end before a thread would have gone to sleep and been woken.</summary>
    private const int SpinsBeforeWait = 35;

    private const int Idle = 0;
    private const int Posted = 1;
    private const int Ended = 2;
    private const int Abandoned = 3;

    /// <summary>Guards all of the state below; never held for long.</summary>
    private readonly object _gate = new();
    private NativeBlock? _buffer;
    private uint[] _checksums = [];
    private bool _isComplete;
    private int _state;
    private Action? _ended;
    private ManualResetValueTaskSourceCore<bool> _awaiter = new() { RunContinuationsAsynchronously = true };
    private bool _isAwaited;
    private CancellationTokenRegistration _cancellation;
    private ITimer? _timer;
    private long _deadline;

    /// <summary>When the timer comes. It stays armed from one wait to the next: that is cheaper than to arm it for each.</summary>
    private long _timerDue = long.MaxValue;

    /// <param name="recordBytes">Bytes of the longest record.</param>
    public RecordRead(int recordBytes) => Largest = Wanted = Needed = recordBytes;

    /// <summary>The file read from.</summary>
    public int Segment { get; private set; } = -1;

    /// <summary>The same for the kernel, open past the page cache: it would read another within the call that hands the read in.</summary>
    public SafeFileHandle? File { get; set; }

    /// <summary>Where in the file the blocks begin.</summary>
    public long Offset { get; private set; }

    /// <summary>Bytes of the blocks.</summary>
    public int Length { get; private set; }

    /// <summary>Where it is handed to the kernel by those who wait on their thread; null before the first time.</summary>
    public IReadSlot? Slot { get; set; }

    /// <summary>When it was posted; 0 if nobody wants to know.</summary>
    public long PostedAt { get; private set; }

    /// <summary>Where the blocks go.</summary>
    public Span<byte> Bytes => new(_buffer is null ? null : _buffer.Start, Length);

    /// <summary>The same, for the kernel: a multiple of a block.</summary>
    public byte* Memory => _buffer!.Start;

    /// <summary>Bytes of all of that memory.</summary>
    public int MemoryBytes => MemoryPlan.ReadBufferBytes(Largest);

    /// <summary>Bytes of the longest record.</summary>
    public int Largest { get; }

    /// <summary>Bytes wanted from where a record begins: its length, or, where that is not known, a guess.</summary>
    public int Wanted { get; set; }

    /// <summary>Bytes that have to be there: fewer are no answer.</summary>
    public int Needed { get; set; }

    /// <summary>Bytes of the blocks that so many bytes at an offset lie in.</summary>
    public static int LengthAt(long offset, int bytes) =>
        (int)((offset % MemoryPlan.BlockBytes) + bytes + MemoryPlan.BlockBytes - 1) / MemoryPlan.BlockBytes * MemoryPlan.BlockBytes;

    /// <summary>What was read from an offset of the file on; empty if it could not be read.</summary>
    public ReadOnlySpan<byte> BytesAt(long offset) => _isComplete ? Bytes[(int)(offset - Offset)..] : default;

    /// <summary>Whether the buffer holds these blocks as they are now.</summary>
    /// <remarks>A block at the end of what was flushed is written again when more has joined it; its checksum tells.</remarks>
    public bool Holds(int segment, long offset, ReadOnlySpan<uint> checksums) =>
        _isComplete && segment == Segment && offset == Offset && checksums.SequenceEqual(_checksums.AsSpan(0, Length / MemoryPlan.BlockBytes));

    /// <summary>Begins a read of other blocks.</summary>
    public void Begin(int segment, long offset, ReadOnlySpan<uint> checksums)
    {
        if (_buffer is null)
        {
            _buffer = new NativeBlock((nuint)MemoryBytes, isCleared: false, MemoryPlan.BlockBytes);
            _checksums = new uint[MemoryBytes / MemoryPlan.BlockBytes];
        }

        (Segment, Offset, Length) = (segment, offset, checksums.Length * MemoryPlan.BlockBytes);
        checksums.CopyTo(_checksums);
        _isComplete = false;
        _state = Idle;
    }

    /// <summary>The read has ended.</summary>
    /// <param name="isComplete">Whether the blocks are there and are what was written.</param>
    public void End(bool isComplete) => _isComplete = isComplete;

    /// <summary>From now on the buffer belongs to the thread that carries the read out.</summary>
    /// <param name="postedAt">When that is; 0 if nobody wants to know.</param>
    public void BeginWaiting(long postedAt)
    {
        PostedAt = postedAt;
        Volatile.Write(ref _state, Posted);
    }

    /// <summary>Wakes whoever waits for the read that was posted.</summary>
    public void Signal()
    {
        bool wasAbandoned, wasAwaited;
        lock (_gate)
        {
            wasAbandoned = _state == Abandoned;
            _state = wasAbandoned ? Idle : Ended;
            wasAwaited = _isAwaited;
            _isAwaited = false;
            Monitor.Pulse(_gate);
        }

        if (wasAbandoned) _ended!();
        else if (wasAwaited) _awaiter.SetResult(true);
    }

    /// <summary>Waits for the read that was posted; false when the time is over.</summary>
    public bool Wait(TimeSpan timeout)
    {
        var spin = new SpinWait();
        while (spin.Count < SpinsBeforeWait && Volatile.Read(ref _state) == Posted) spin.SpinOnce(sleep1Threshold: -1);
        lock (_gate) return _state != Posted || Monitor.Wait(_gate, timeout) || _state != Posted;
    }

    /// <inheritdoc cref="Wait"/>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public ValueTask<bool> WaitAsync(TimeSpan timeout, CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            if (_state != Posted) return new ValueTask<bool>(true);
            _awaiter.Reset();
            _isAwaited = true;
            _deadline = timeout == Timeout.InfiniteTimeSpan ? long.MaxValue : Environment.TickCount64 + (long)timeout.TotalMilliseconds;
            if (_deadline < _timerDue) ArmTimer(timeout);
        }

        if (cancellationToken.CanBeCanceled) _cancellation = cancellationToken.UnsafeRegister(static (me, token) => ((RecordRead)me!).Cancel(token), this);
        return new ValueTask<bool>(this, _awaiter.Version);
    }

    /// <summary>Gives up a read that was posted. True if it has ended meanwhile; else <paramref name="ended"/> is called when it does.</summary>
    public bool TryAbandon(Action ended)
    {
        lock (_gate)
        {
            if (_state == Posted)
            {
                _ended = ended;
                _state = Abandoned;
                return false;
            }

            _state = Idle;
            return true;
        }
    }

    /// <summary>Whether the blocks were asked for on another thread, so that their result is what there is. Says so once.</summary>
    public bool TakeEnded()
    {
        if (_state != Ended) return false;
        _state = Idle;
        return true;
    }

    bool IValueTaskSource<bool>.GetResult(short token)
    {
        _cancellation.Dispose(); // waits for a callback under way
        _cancellation = default;
        return _awaiter.GetResult(token);
    }

    ValueTaskSourceStatus IValueTaskSource<bool>.GetStatus(short token) => _awaiter.GetStatus(token);

    void IValueTaskSource<bool>.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _awaiter.OnCompleted(continuation, state, token, flags);

    private void Cancel(CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            if (!_isAwaited) return;
            _isAwaited = false;
        }

        _awaiter.SetException(new OperationCanceledException(cancellationToken));
    }

    /// <summary>The timer of an earlier wait may still come, so the deadline decides.</summary>
    private void TimeOut()
    {
        lock (_gate)
        {
            _timerDue = long.MaxValue;
            if (!_isAwaited || _deadline == long.MaxValue) return;
            long left = _deadline - Environment.TickCount64;
            if (left > 0)
            {
                ArmTimer(TimeSpan.FromMilliseconds(left));
                return;
            }

            _isAwaited = false;
        }

        _awaiter.SetResult(false);
    }

    /// <summary>Lets the timer come at the deadline. Under the gate.</summary>
    private void ArmTimer(TimeSpan timeout)
    {
        _timer ??= DetachedTimer.Create(TimeProvider.System, static me => ((RecordRead)me!).TimeOut(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        _timer.Change(timeout, Timeout.InfiniteTimeSpan);
        _timerDue = _deadline;
    }
}
