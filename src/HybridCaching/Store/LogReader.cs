using HybridCaching.Configuration;
using HybridCaching.Devices;
using HybridCaching.Diagnostics;

namespace HybridCaching.Store;

/// <summary>Looks for records in the part of a log that is on the disk. Not thread-safe; uses neither FASTER nor its epoch, so it may wait.</summary>
internal abstract class LogReader(LogDevice? device, RecordRead read)
{
    /// <summary>A longer record is not read by itself: its block, or two, take hardly longer.</summary>
    protected const int MostAlone = MemoryPlan.BlockBytes / 2;

    /// <summary>The block in which the last record lay that was read by itself.</summary>
    private long _block = -1;

    /// <summary>Tells a tracer of the read that was posted.</summary>
    private ForgivingActivity? _activity;

    /// <summary>The read that this reader is at.</summary>
    protected RecordRead Read => read;

    /// <summary>Counts of the operations done with this reader. Written by its owner only.</summary>
    public SessionCounters Counters;

    /// <summary>Whether there is an activity for each read: somebody's call waits for it.</summary>
    public bool IsTraced { get; init; } = true;

    /// <summary>Shows the records of one piece of either log that are whole and alive, as far as no disk is needed. Whether they are what their keys stand for is not asked.</summary>
    /// <param name="address">Where to begin, and then where to go on.</param>
    /// <param name="end">Where to end.</param>
    /// <param name="now">When a record is alive.</param>
    /// <param name="sink">Is shown the records.</param>
    /// <returns>False if the disk is needed: <see cref="Post"/>, <see cref="Wait"/>, then call it again.</returns>
    public abstract bool TryCollect(ref long address, long end, DateTimeOffset now, IRecordSink sink);

    /// <summary>Reads a record and nothing around it, if the system has it in memory: less than half of what it takes to read its block and to check that.</summary>
    /// <remarks>
    /// Only if it is the key's, and whole by its own check, is it the answer; else the block has to be read. That is enough for a settled record in a block that was written once only, since the index leads to none but the newest of a key; in a chain a damaged link
    /// might lead to an older one. Of the second record in a row from the same block, the block is read: neighbours are often asked for together.
    /// </remarks>
    protected bool TryReadAlone(in DiskTrail trail, Span<byte> record)
    {
        long block = trail.Address / MemoryPlan.BlockBytes;
        bool isNeighbour = block == _block;
        _block = isNeighbour ? -1 : block;
        if (trail.IsInChain || isNeighbour) return false;
        return device!.TryReadCached(read, trail.Address, record);
    }

    /// <summary>Has the disk asked for what the last look stopped at.</summary>
    public void Post() => device!.Post(BeginPost());

    /// <summary>The same for many readers together.</summary>
    /// <returns>What the device has to be given.</returns>
    public RecordRead BeginPost()
    {
        _activity = IsTraced ? device!.StartReadActivity() : null;
        return read;
    }

    /// <summary><see cref="Post"/> and <see cref="Wait"/> in one: less work where nothing is done in between.</summary>
    public bool PostAndWait(TimeSpan timeout)
    {
        bool ended = device!.PostAndWait(BeginPost(), timeout);
        if (ended) EndActivity();
        return ended;
    }

    /// <summary>Waits for the disk; false when the time is over. The reader then has to be given up with <see cref="TryAbandon"/>.</summary>
    public bool Wait(TimeSpan timeout)
    {
        bool ended = read.Wait(timeout);
        if (ended) EndActivity();
        return ended;
    }

    /// <inheritdoc cref="Wait"/>
    public ValueTask<bool> WaitAsync(TimeSpan timeout, CancellationToken cancellationToken) =>
        _activity is null ? read.WaitAsync(timeout, cancellationToken) : WaitWithActivityAsync(timeout, cancellationToken);

    /// <summary>Gives up a read that was posted. True if it has ended meanwhile; else <paramref name="ended"/> is called when it does, on a thread of the device.</summary>
    public bool TryAbandon(Action ended)
    {
        _activity?.Fail("The disk did not answer in time.");
        EndActivity();
        return read.TryAbandon(ended);
    }

    private async ValueTask<bool> WaitWithActivityAsync(TimeSpan timeout, CancellationToken cancellationToken)
    {
        bool ended = await read.WaitAsync(timeout, cancellationToken).ConfigureAwait(false);
        if (ended) EndActivity();
        return ended;
    }

    private void EndActivity()
    {
        _activity?.Dispose();
        _activity = null;
    }
}
