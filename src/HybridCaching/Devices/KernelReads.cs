using System.Collections.Concurrent;
using System.Numerics;

namespace HybridCaching.Devices;

/// <summary>Reads of the disk without a thread of ours for each: who waits on his thread takes the kernel's answer himself, from a queue that belongs to his <see cref="RecordRead"/>; the answers for all others are taken by one thread from a queue that they share.</summary>
/// <remarks>
/// For files past the page cache only. A read needs one change of threads, where a thread that reads would need two. Who gives up leaves his queue to our thread, which looks after it until the read has ended; until then nobody else can have it, nor
/// the buffer. No queue is destroyed before all reads have ended.
/// </remarks>
internal sealed class KernelReads : IDisposable
{
    private const int MostResults = 64;

    /// <summary>Half of the requests that the disk takes: others read and write, too.</summary>
    private const int PartOfRequests = 2;

    /// <summary>So many requests a disk takes of which nothing is known, as those that take few.</summary>
    private const int UsualRequests = 64;

    private static readonly TimeSpan StopLookInterval = TimeSpan.FromMilliseconds(200);
    private static readonly TimeSpan LeftLookInterval = TimeSpan.FromMilliseconds(20);

    private readonly AioQueue _shared;
    private readonly bool _usesIoUring;
    private readonly Action<RecordRead, long> _ended;
    private readonly RecordRead?[] _reads;
    private readonly Thread _reaper;

    /// <summary>The queues that belong to somebody.</summary>
    private readonly ConcurrentStack<IReadSlot> _own = new();

    /// <summary>The reads whose queues were left, and those of them that our thread has seen. No lock, which a queue takes now and then: who is interrupted there would leave a read that nobody ends.</summary>
    private readonly ConcurrentStack<RecordRead> _left = new();
    private readonly List<RecordRead> _looksAfter = [];
    private long _free;
    private long _posted;
    private long _endedCount;
    private volatile int _most = UsualRequests / PartOfRequests;
    private volatile bool _stop;

    private KernelReads(string name, AioQueue shared, int depth, bool usesIoUring, Action<RecordRead, long> ended)
    {
        _shared = shared;
        _usesIoUring = usesIoUring;
        _ended = ended;
        _reads = new RecordRead?[depth];
        _free = depth == 64 ? -1 : (1L << depth) - 1;
        _reaper = new Thread(Reap) { IsBackground = true, Name = name };
        _reaper.UnsafeStart();
    }

    /// <summary>How many reads have ended.</summary>
    public long Ended => Interlocked.Read(ref _endedCount);

    /// <summary>Whether there are reads that have not ended.</summary>
    public bool IsBusy => Interlocked.Read(ref _posted) > Ended;

    /// <summary>Says how many requests the disk takes at once. Only so many reads are handed to the kernel that it has room for them, none at all if need be: for a free request of a disk that hangs it would have the caller wait, whatever he said.</summary>
    /// <param name="requestsAtOnce">Null if that is not known.</param>
    /// <param name="threads">How many of them threads may take who read and write, and wait if there is none: they do not ask us.</param>
    public void Expect(int? requestsAtOnce, int threads) => _most = Math.Max(0, ((requestsAtOnce ?? UsualRequests) / PartOfRequests) - threads);

    /// <summary>Begins; null where the system has no such calls or does not allow them.</summary>
    /// <param name="name">Names the thread.</param>
    /// <param name="depth">How many reads that nobody waits for on his thread may be under way, at most 64.</param>
    /// <param name="usesIoUring">Whether who waits on his thread asks by io_uring where the system allows that.</param>
    /// <param name="ended">Called for each read, on our thread or that of who waits for it, with the number of bytes read or a negative error number. Must not throw or wait.</param>
    public static KernelReads? TryCreate(string name, int depth, bool usesIoUring, Action<RecordRead, long> ended) =>
        AioQueue.TryCreate(depth) is { } shared ? new KernelReads(name, shared, depth, usesIoUring, ended) : null;

    /// <summary>Hands reads in, of files that are set.</summary>
    /// <returns>How many, from the first one on: too many are under way, or the kernel refuses the next.</returns>
    public int Post(ReadOnlySpan<RecordRead> reads)
    {
        reads = reads[..Begin(Math.Min(reads.Length, MostResults))];
        if (reads.IsEmpty) return 0;
        Span<int> slots = stackalloc int[reads.Length];
        int count = 0;
        for (; count < reads.Length && TakeSlot() is >= 0 and var slot; count++) _reads[slots[count] = slot] = reads[count];
        int taken = _shared.Submit(slots[..count], reads[..count]); // they may have ended already
        foreach (int slot in slots[taken..count]) Free(slot);
        Interlocked.Add(ref _posted, taken - reads.Length);
        return taken;
    }

    /// <summary>Hands a read in and waits for it on this thread.</summary>
    /// <param name="read">What is read; its file is set.</param>
    /// <param name="timeout">For how long.</param>
    /// <param name="hasEnded">False when the time was over before that: our thread takes the answer then.</param>
    /// <returns>False if it cannot be handed in: too many are under way, the kernel refuses, or there are too many queues.</returns>
    public bool TryReadAndWait(RecordRead read, TimeSpan timeout, out bool hasEnded)
    {
        hasEnded = false;
        if (Begin(1) == 0) return false;
        long? result = null;
        bool isHandedIn = false;
        try
        {
            isHandedIn = (read.Slot ??= NewSlot()) is { } slot && slot.TryRead(read, timeout, out result);
        }
        finally
        {
            if (!isHandedIn) Interlocked.Decrement(ref _posted); // also where there is no memory for a slot
        }

        if (!isHandedIn) return false;
        hasEnded = result is not null;
        if (result is { } bytes) End(read, bytes);
        else _left.Push(read);
        return true;
    }

    /// <summary>Waits for all reads and ends.</summary>
    public void Dispose()
    {
        if (_stop) return;
        _stop = true;
        _reaper.Join();
        _shared.Destroy();
        foreach (var queue in _own) queue.Destroy();
    }

    /// <summary>Counts reads before anything is done for them: whoever ends sees that, or we see that he ends.</summary>
    /// <returns>How many of them the disk has room for.</returns>
    private int Begin(int reads)
    {
        long others = Interlocked.Add(ref _posted, reads) - reads - Ended;
        int begun = _stop ? 0 : (int)Math.Clamp(_most - others, 0, reads);
        if (begun < reads) Interlocked.Add(ref _posted, begun - reads);
        return begun;
    }

    private IReadSlot? NewSlot()
    {
        IReadSlot? slot = _usesIoUring ? IoUring.TryCreate() : null;
        slot ??= AioQueue.TryCreate(1);
        if (slot is not null) _own.Push(slot);
        return slot;
    }

    private int TakeSlot()
    {
        while (true)
        {
            long free = Volatile.Read(ref _free);
            if (free == 0) return -1;
            long rest = free & (free - 1);
            if (Interlocked.CompareExchange(ref _free, rest, free) == free) return BitOperations.TrailingZeroCount(free);
        }
    }

    private void Free(int slot)
    {
        _reads[slot] = null;
        Interlocked.Or(ref _free, 1L << slot);
    }

    private void Reap()
    {
        Span<ReadResult> results = stackalloc ReadResult[MostResults];
        int left = 0;
        while (!_stop || IsBusy)
        {
            int count = _shared.Take(results, left > 0 ? LeftLookInterval : StopLookInterval);
            foreach (ref readonly var result in results[..count])
            {
                int slot = (int)result.Slot;
                var read = _reads[slot]!;
                Free(slot);
                End(read, result.Bytes);
            }

            left = LookAfterLeft();
        }
    }

    /// <summary>Looks for the answers that somebody has given up.</summary>
    /// <returns>How many are still to come.</returns>
    private int LookAfterLeft()
    {
        while (_left.TryPop(out var read)) _looksAfter.Add(read);
        _looksAfter.RemoveAll(read => TryTakeLeft(read));
        return _looksAfter.Count;
    }

    private bool TryTakeLeft(RecordRead read)
    {
        if (!read.Slot!.TryTake(out long bytes)) return false;
        End(read, bytes);
        return true;
    }

    private void End(RecordRead read, long bytes)
    {
        Interlocked.Increment(ref _endedCount);
        _ended(read, bytes);
    }
}
