using HybridCaching.Configuration;

namespace HybridCaching.Devices;

/// <summary>Reads of single records, one after the other: a buffer for the blocks a record lies in, and a signal for who waits.</summary>
/// <remarks>
/// The blocks read last stay: records written together are often read together. Not thread-safe; while a read is posted, the buffer belongs to the thread that carries it out.
/// </remarks>
internal sealed class RecordRead
{
    private const int Idle = 0;
    private const int Posted = 1;
    private const int Ended = 2;
    private const int Abandoned = 3;

    private readonly SemaphoreSlim _done = new(0);
    private byte[] _buffer = [];
    private uint[] _checksums = [];
    private bool _isComplete;
    private int _state;
    private Action? _ended;

    /// <param name="recordBytes">Bytes of the longest record.</param>
    public RecordRead(int recordBytes) => Largest = Wanted = Needed = recordBytes;

    /// <summary>The file read from.</summary>
    public int Segment { get; private set; } = -1;

    /// <summary>Where in the file the blocks begin.</summary>
    public long Offset { get; private set; }

    /// <summary>Bytes of the blocks.</summary>
    public int Length { get; private set; }

    /// <summary>When it was posted; 0 if nobody wants to know.</summary>
    public long PostedAt { get; private set; }

    /// <summary>Where the blocks go.</summary>
    public Span<byte> Bytes => _buffer.AsSpan(0, Length);

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
    public ReadOnlySpan<byte> BytesAt(long offset) => _isComplete ? _buffer.AsSpan((int)(offset - Offset), Length - (int)(offset - Offset)) : default;

    /// <summary>Whether the buffer holds these blocks as they are now.</summary>
    /// <remarks>A block at the end of what was flushed is written again when more has joined it; its checksum tells.</remarks>
    public bool Holds(int segment, long offset, ReadOnlySpan<uint> checksums) =>
        _isComplete && segment == Segment && offset == Offset && checksums.SequenceEqual(_checksums.AsSpan(0, Length / MemoryPlan.BlockBytes));

    /// <summary>Begins a read of other blocks.</summary>
    public void Begin(int segment, long offset, ReadOnlySpan<uint> checksums)
    {
        if (_buffer.Length == 0)
        {
            _buffer = GC.AllocateUninitializedArray<byte>(MemoryPlan.ReadBufferBytes(Largest), pinned: true);
            _checksums = new uint[_buffer.Length / MemoryPlan.BlockBytes];
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
        if (Interlocked.Exchange(ref _state, Ended) != Abandoned)
        {
            _done.Release();
            return;
        }

        _state = Idle;
        _ended!();
    }

    /// <summary>Waits for the read that was posted; false when the time is over.</summary>
    public bool Wait(TimeSpan timeout) => _done.Wait(timeout);

    /// <inheritdoc cref="Wait"/>
    public Task<bool> WaitAsync(TimeSpan timeout, CancellationToken cancellationToken) => _done.WaitAsync(timeout, cancellationToken);

    /// <summary>Gives up a read that was posted. True if it has ended meanwhile; else <paramref name="ended"/> is called when it does.</summary>
    public bool TryAbandon(Action ended)
    {
        _ended = ended;
        if (Interlocked.CompareExchange(ref _state, Abandoned, Posted) == Posted) return false;
        _done.Wait(); // its signal comes this moment
        _state = Idle;
        return true;
    }

    /// <summary>Whether the blocks were asked for on another thread, so that their result is what there is. Says so once.</summary>
    public bool TakeEnded()
    {
        if (_state != Ended) return false;
        _state = Idle;
        return true;
    }
}
