namespace HybridCaching.CrashTests.Child;

/// <summary>The clock that decides when entries expire: the parent sets it forward between two processes.</summary>
internal sealed class ShiftedClock(SharedState state) : TimeProvider
{
    public override DateTimeOffset GetUtcNow() => new(state.Now, TimeSpan.Zero);
}
