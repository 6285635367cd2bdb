using HybridCaching.Tests.Concurrency;

namespace HybridCaching.Tests.Distributed;

/// <summary>What has been done to every key, so that a hit can be judged by the interval of its read. Misses are never judged: a cache may forget.</summary>
/// <remarks>
/// A key has one writer, whose operations on it, sets and removals alike, are numbered; a value carries the number of its set. So a value is out of date if its
/// number is below that of an operation that was over before the read began, or below that of a value that was read before, and impossible if its set had not begun.
/// Whoever removes many keys at once numbers nothing: what was over before he began may not be read after he ended.
/// </remarks>
internal sealed class BytesHistory
{
    private readonly string[] _names;
    private readonly Dictionary<string, int> _keys;
    private readonly long[] _begun;
    private readonly long[] _over;
    private readonly long[] _read;
    private readonly long[] _cleared;
    private readonly string[] _clearedBy;

    public BytesHistory(string[] names)
    {
        _names = names;
        _keys = names.Index().ToDictionary(name => name.Item, name => name.Index, StringComparer.Ordinal);
        _clearedBy = new string[names.Length];
        (_begun, _over, _read, _cleared) = (new long[names.Length], new long[names.Length], new long[names.Length], new long[names.Length]);
    }

    public int Keys => _names.Length;

    public string NameOf(int key) => _names[key];

    /// <summary>The key of a name; -1 if nobody has ever stored it.</summary>
    public int KeyOf(string name) => _keys.GetValueOrDefault(name, -1);

    /// <summary>The number of the writer's next operation on a key, which begins now.</summary>
    public long Begin(int key)
    {
        long next = _begun[key] + 1;
        Volatile.Write(ref _begun[key], next);
        return next;
    }

    /// <summary>The operation is acknowledged.</summary>
    public void End(int key, long number) => Volatile.Write(ref _over[key], number);

    /// <summary>Carries out what removes all keys with a prefix.</summary>
    public void RemoveMany(string prefix, Action remove)
    {
        var over = new long[Keys];
        for (int key = 0; key < Keys; key++) over[key] = _names[key].StartsWith(prefix, StringComparison.Ordinal) ? Volatile.Read(ref _over[key]) + 1 : 0;
        remove();
        for (int key = 0; key < Keys; key++)
        {
            if (over[key] > _cleared[key]) _clearedBy[key] = prefix.Length == 0 ? "Clear" : "RemoveByPrefix"; // for the message: two at once may both be right
            Monotonic.Raise(ref _cleared[key], over[key]);
        }
    }

    /// <summary>What a read of the key that begins now may not fall behind.</summary>
    public long Floor(int key) => Math.Max(Math.Max(Volatile.Read(ref _over[key]), Volatile.Read(ref _read[key])), Volatile.Read(ref _cleared[key]));

    /// <summary>The floors of all keys, for a read of many that begins now.</summary>
    public long[] Floors()
    {
        var floors = new long[Keys];
        for (int key = 0; key < Keys; key++) floors[key] = Floor(key);
        return floors;
    }

    /// <summary>Judges the value of a read that began at <paramref name="floor"/> and is over now; null if it is right.</summary>
    public string? Judge(int key, ReadOnlySpan<byte> value, long floor)
    {
        long begun = Volatile.Read(ref _begun[key]);
        if (BytesValue.Judge(_names[key], value, out int writer, out long number) is { } wrong) return wrong;
        if (number < floor) return $"{_names[key]}: {number} of writer {writer}, though {floor} was known before the read began (over {_over[key]}, read {_read[key]}, cleared {_cleared[key]} by {_clearedBy[key]})";
        if (number > begun) return $"{_names[key]}: {number}, though only {begun} have begun";
        Monotonic.Raise(ref _read[key], number);
        return null;
    }
}
