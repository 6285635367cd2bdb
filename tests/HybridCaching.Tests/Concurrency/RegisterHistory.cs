namespace HybridCaching.Tests.Concurrency;

/// <summary>What has been done to every key, so that a hit can be judged by the interval of its read. Misses are never judged: a cache may forget.</summary>
/// <remarks>
/// A key has one writer, whose operations on it, sets and removals alike, are numbered; a value carries the number of its set. So a value is out of date if its
/// number is below that of an operation that was over before the read began, or below that of a value that was read before, and impossible if its set had not begun.
/// </remarks>
internal sealed class RegisterHistory(int keys)
{
    private readonly long[] _begun = new long[keys];
    private readonly long[] _over = new long[keys];
    private readonly long[] _read = new long[keys];
    private readonly long[] _cleared = new long[keys];

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

    /// <summary>Carries out a Clear: what was over before it began may not be read after it ended.</summary>
    public void Clear(Action clear)
    {
        var over = new long[keys];
        for (int key = 0; key < keys; key++) over[key] = Volatile.Read(ref _over[key]);
        clear();
        for (int key = 0; key < keys; key++) Monotonic.Raise(ref _cleared[key], over[key] + 1);
    }

    /// <summary>What a read of the key that begins now may not fall behind.</summary>
    public long Floor(int key) => Math.Max(Math.Max(Volatile.Read(ref _over[key]), Volatile.Read(ref _read[key])), Volatile.Read(ref _cleared[key]));

    /// <summary>Judges the value of a read that began at <paramref name="floor"/> and is over now; null if it is right.</summary>
    public string? Judge(int key, in Quint value, long floor)
    {
        long begun = Volatile.Read(ref _begun[key]);
        if (!value.IsWhole) return $"torn: {value}";
        if (value.Key != key) return $"the value of key {value.Key} under {key}";
        if (value.Sequence < floor) return $"key {key}: {value.Sequence}, though {floor} was known before the read began (over {_over[key]}, read {_read[key]}, cleared {_cleared[key]})";
        if (value.Sequence > begun) return $"key {key}: {value.Sequence}, though only {begun} have begun";
        Monotonic.Raise(ref _read[key], value.Sequence);
        return null;
    }
}
