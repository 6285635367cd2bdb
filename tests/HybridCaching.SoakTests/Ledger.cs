namespace HybridCaching.SoakTests;

/// <summary>What has been done to every key, so that a hit can be judged by the interval of its read. Misses are never judged: a cache may forget.</summary>
/// <remarks>Operations on a key, sets and removals alike, come one at a time and are numbered; a value carries the number of its set.</remarks>
internal sealed class Ledger(int keys, SoakClock clock)
{
    private readonly long[] _begun = Zeros(keys);
    private readonly long[] _over = Zeros(keys);
    private readonly long[] _overAt = Zeros(keys);
    private readonly long[] _read = Zeros(keys);
    private readonly Lock[] _writing = [.. Enumerable.Range(0, 1024).Select(_ => new Lock())];

    /// <summary>Whoever changes a key holds this.</summary>
    public Lock WritingOf(int key) => _writing[key % _writing.Length];

    /// <summary>The number of the next operation on a key, which begins now.</summary>
    public long Begin(int key)
    {
        long next = _begun[key] + 1;
        Volatile.Write(ref _begun[key], next);
        return next;
    }

    /// <summary>The operation has returned.</summary>
    public void End(int key, long number)
    {
        Volatile.Write(ref _overAt[key], clock.Ticks);
        Volatile.Write(ref _over[key], number);
    }

    /// <summary>What a read of the key that begins now may not fall behind.</summary>
    public long Floor(int key) => Math.Max(Volatile.Read(ref _over[key]), Volatile.Read(ref _read[key]));

    /// <summary>Judges the value of a read that began at <paramref name="floor"/> and <paramref name="ticks"/>; null if it is right.</summary>
    public string? Judge(int key, ReadOnlySpan<byte> bytes, long floor, long ticks)
    {
        if (!SoakValue.TryRead(bytes, key, out var value)) return $"what is under {key} is another key's or torn: {value}, {bytes.Length} bytes";
        if (value.Number < floor) return $"{value} is out of date: {floor} was known before the read began";
        if (value.Number > Volatile.Read(ref _begun[key])) return $"{value} was never stored";
        if (value.LifetimeTicks > 0 && OverAt(key, value.Number) is { } since && ticks >= since + value.LifetimeTicks) return $"{value} had expired: stored before {since}, read at {ticks}";
        Monotonic.Raise(ref _read[key], value.Number);
        return null;
    }

    /// <summary>Written, so that they take their memory before that of the cache is counted.</summary>
    private static long[] Zeros(int count)
    {
        long[] zeros = new long[count];
        Array.Fill(zeros, 0);
        return zeros;
    }

    /// <summary>When an operation had surely returned; null if it has not, or another one has by now.</summary>
    private long? OverAt(int key, long number)
    {
        if (Volatile.Read(ref _over[key]) != number) return null;
        long at = Volatile.Read(ref _overAt[key]);
        return Volatile.Read(ref _begun[key]) == number ? at : null;
    }
}
