namespace HybridCaching.Tests.Concurrency;

/// <summary>What has been done to every key of a source of truth and of the cache before it, so that a hit can be judged by the interval of its read. Misses are never judged.</summary>
/// <remarks>
/// A key has one writer, whose operations on it are numbered; the number of the last one begun is what the source of truth says. A value carries a number and where it comes
/// from: stored by the writer, who knows the number, or made by anybody's factory, who has asked the source. It is out of date if its number is below that of an operation that
/// was over, or of a value that was read, before its own read began. After a Clear a writer's value counts only if its operation was not over when the Clear began; a factory's, which may
/// give an old number again, only if the factory ran after that: factories know how many Clears had begun.
/// </remarks>
internal sealed class StressHistory(int keys)
{
    private readonly long[] _begun = new long[keys];
    private readonly long[] _over = new long[keys];
    private readonly long[] _read = new long[keys];
    private readonly long[] _cleared = new long[keys];
    private long _clearsBegun;
    private long _clearsOver;

    /// <summary>What a read that begins now may not fall behind.</summary>
    public readonly record struct Floor(long Number, long Cleared, long Clears);

    public int Keys => keys;

    /// <summary>The number of the writer's next operation on a key, which begins now.</summary>
    public long Begin(int key)
    {
        long next = _begun[key] + 1;
        Volatile.Write(ref _begun[key], next);
        return next;
    }

    /// <summary>The operation is acknowledged.</summary>
    public void End(int key, long number) => Volatile.Write(ref _over[key], number);

    /// <summary>What a factory makes now; called by the factory.</summary>
    public Quint Make(int key)
    {
        long clears = Volatile.Read(ref _clearsBegun);
        return Quint.Of(key, -1 - clears, Volatile.Read(ref _begun[key]));
    }

    /// <summary>Carries out a Clear; one at a time.</summary>
    public void Clear(Action clear)
    {
        var over = new long[keys];
        for (int key = 0; key < keys; key++) over[key] = Volatile.Read(ref _over[key]);
        long clears = Interlocked.Increment(ref _clearsBegun);
        clear();
        for (int key = 0; key < keys; key++) Monotonic.Raise(ref _cleared[key], over[key] + 1);
        Volatile.Write(ref _clearsOver, clears);
    }

    public Floor FloorOf(int key)
    {
        long clears = Volatile.Read(ref _clearsOver);
        return new Floor(Math.Max(Volatile.Read(ref _over[key]), Volatile.Read(ref _read[key])), Volatile.Read(ref _cleared[key]), clears);
    }

    /// <summary>Judges a value; null if it is right.</summary>
    /// <param name="key">The key.</param>
    /// <param name="value">What was read under it.</param>
    /// <param name="floor">From before the read.</param>
    /// <param name="isStored">Whether the cache held it: what a factory has made may be for its callers only.</param>
    public string? Judge(int key, in Quint value, Floor floor, bool isStored)
    {
        long begun = Volatile.Read(ref _begun[key]);
        if (!value.IsWhole) return $"torn: {value}";
        if (value.Key != key) return $"the value of key {value.Key} under {key}";
        bool isMade = value.Writer < 0;
        if (value.Sequence < floor.Number || value.Sequence > begun) return $"key {key}: {value} is not between {floor} and {begun}";
        if (isMade ? -1 - value.Writer < floor.Clears : value.Sequence < floor.Cleared) return $"key {key}: {value} was cleared, {floor}";
        if (isStored) Monotonic.Raise(ref _read[key], value.Sequence);
        return null;
    }
}
