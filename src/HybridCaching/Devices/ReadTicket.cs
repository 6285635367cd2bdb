using HybridCaching.Configuration;

namespace HybridCaching.Devices;

/// <summary>Ties the disk reads that FASTER starts on a thread to the session on whose behalf it does.</summary>
/// <remarks>
/// FASTER's device contract carries no such link, and FASTER starts reads inside its epoch, where nothing may be waited for. So the session puts its ticket into
/// <see cref="Current"/> before it enters FASTER, the device leaves the request in the ticket, and the session has it carried out once it is outside the epoch.
/// A session has one request at a time. A signal means "look again", not "done": <see cref="Wait"/> may return early.
/// </remarks>
internal sealed class ReadTicket
{
    private readonly SemaphoreSlim _signal = new(0);
    private readonly byte[] _block = new byte[MemoryPlan.BlockBytes];
    private int _blockSegment = -1;
    private long _blockOffset;
    private uint _blockSum;

    /// <summary>The ticket of the session that is in FASTER on this thread.</summary>
    [ThreadStatic]
    public static ReadTicket? Current;

    /// <summary>FASTER leaves a read, and whoever let it carries it out, on one and the same thread.</summary>
    [ThreadStatic]
    private static IoRequest? _left;

    /// <summary>Leaves a request for whoever carries it out on this thread.</summary>
    public static void Leave(IoRequest request) => _left = request;

    /// <summary>Takes the request that was left on this thread, if any.</summary>
    public static IoRequest? Take()
    {
        var request = _left;
        _left = null;
        return request;
    }

    /// <summary>Answers a read of the block that this session has read last: records written together are often read together.</summary>
    /// <remarks>A block at the end of what was flushed is written again when more has joined it; its checksum tells.</remarks>
    public bool TryRepeat(int segment, long offset, uint sum, Span<byte> bytes)
    {
        if (segment != _blockSegment || offset != _blockOffset || sum != _blockSum || bytes.Length != _block.Length) return false;
        _block.CopyTo(bytes);
        return true;
    }

    /// <summary>Keeps a verified block for <see cref="TryRepeat"/>.</summary>
    public void Keep(int segment, long offset, uint sum, ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length != _block.Length) return;
        bytes.CopyTo(_block);
        (_blockSegment, _blockOffset, _blockSum) = (segment, offset, sum);
    }

    /// <summary>Called by the device when FASTER has taken the result of a read on another thread.</summary>
    public void Signal() => _signal.Release();

    /// <summary>Forgets signals that nobody waited for.</summary>
    public void Reset()
    {
        while (_signal.CurrentCount > 0 && _signal.Wait(0))
        {
        }
    }

    /// <summary>Waits for the next signal; false when the time is over.</summary>
    public bool Wait(TimeSpan timeout) => _signal.Wait(timeout);

    /// <inheritdoc cref="Wait"/>
    public Task<bool> WaitAsync(TimeSpan timeout, CancellationToken cancellationToken) => _signal.WaitAsync(timeout, cancellationToken);
}
