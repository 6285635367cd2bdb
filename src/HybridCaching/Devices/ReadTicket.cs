namespace HybridCaching.Devices;

/// <summary>Ties the disk reads that FASTER starts on a thread to the session on whose behalf it does.</summary>
/// <remarks>
/// FASTER's device contract carries no such link. The session puts its ticket into <see cref="Current"/> before it enters FASTER; the device
/// takes it along with the request, restores it around FASTER's callback (which may start the next read of a chain) and signals afterwards.
/// A signal means "look again", not "done": <see cref="Wait"/> may return early.
/// </remarks>
internal sealed class ReadTicket
{
    private readonly SemaphoreSlim _signal = new(0);

    /// <summary>The ticket of the session that is in FASTER on this thread.</summary>
    [ThreadStatic]
    public static ReadTicket? Current;

    /// <summary>While set, reads of the disk are answered with zeros at once: the session only wants what is in memory.</summary>
    public bool MemoryOnly { get; set; }

    /// <summary>Called by the device when FASTER has taken the result of a read.</summary>
    public void Signal() => _signal.Release();

    /// <summary>Waits for the next signal; false when the time is over.</summary>
    public bool Wait(TimeSpan timeout) => _signal.Wait(timeout);

    /// <inheritdoc cref="Wait"/>
    public Task<bool> WaitAsync(TimeSpan timeout, CancellationToken cancellationToken) => _signal.WaitAsync(timeout, cancellationToken);
}
