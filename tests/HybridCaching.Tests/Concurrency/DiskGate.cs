using HybridCaching.Devices;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Concurrency;

/// <summary>A disk that hangs: while closed, requests of one kind neither succeed nor fail.</summary>
internal sealed class DiskGate : IDisposable
{
    private readonly ManualResetEventSlim _open = new(initialState: true);
    private int _held;

    public DiskGate(LogDevice device, IoKind kind) => device.Fault = request =>
    {
        if (request.Kind != kind || _open.IsSet) return false;
        Interlocked.Increment(ref _held);
        _open.Wait();
        Interlocked.Decrement(ref _held);
        return false;
    };

    public bool IsClosed => !_open.IsSet;

    /// <summary>How many requests hang.</summary>
    public int Held => Volatile.Read(ref _held);

    public void Close() => _open.Reset();

    public void Open() => _open.Set();

    /// <summary>Waits until a request hangs.</summary>
    public void AwaitHeld() => Until.True(() => Held > 0, "a request reaches the disk");

    /// <summary>Opens the gate for good; I/O threads may still be in it.</summary>
    public void Dispose() => Open();
}
