using HybridCaching.Records;
using HybridCaching.Store;

namespace HybridCaching.Tests.Store;

/// <summary>A session without a store, which knows whether somebody has it.</summary>
internal sealed class FakeSession : EntrySession<long, long>
{
    private int _owners;

    public bool IsDisposed { get; private set; }

    /// <summary>Marks the session as owned; false if somebody else has it.</summary>
    public bool TryOwn() => Interlocked.Exchange(ref _owners, 1) == 0;

    public void Disown() => Volatile.Write(ref _owners, 0);

    public override void Dispose() => IsDisposed = true;

    public override Lookup Find(in long key, ulong hash, ref Entry<long> entry) => Lookup.NotFound;

    public override Lookup FindUnlatched(in long key, ulong hash, ref Entry<long> entry) => Lookup.NotFound;

    public override bool TryReadDisk(in long key, ref Entry<long> entry, out bool found) => throw new NotSupportedException();

    public override bool TryReadKey(long address, out long key) => throw new NotSupportedException();

    public override void Hold() => throw new NotSupportedException();

    public override void Release() => throw new NotSupportedException();

    public override bool Upsert(in long key, ulong hash, ref Entry<long> entry) => throw new NotSupportedException();

    public override void Delete(in long key, ulong hash) => throw new NotSupportedException();
}
