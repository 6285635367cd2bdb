using HybridCaching.Store;

namespace HybridCaching.Tests.Store;

/// <summary>A session without a store, which knows whether somebody has it.</summary>
internal sealed class FakeSession : LogSession
{
    private int _owners;

    public bool IsDisposed { get; private set; }

    /// <summary>Marks the session as owned; false if somebody else has it.</summary>
    public bool TryOwn() => Interlocked.Exchange(ref _owners, 1) == 0;

    public void Disown() => Volatile.Write(ref _owners, 0);

    public override bool TryShowNewest(ref long address, long end, DateTimeOffset now, INewestSink sink) => true;

    public override bool? IsNewestInMemory(long address) => null;

    public override void Dispose() => IsDisposed = true;
}
