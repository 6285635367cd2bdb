using Microsoft.Extensions.Caching.Distributed;

namespace HybridCaching.Tests.Distributed;

/// <summary>What a cache of bytes that forgets nothing would answer: a dictionary with a clock. Times are UTC ticks.</summary>
/// <param name="clock">The clock.</param>
/// <param name="options">Those of the cache.</param>
/// <param name="mayForget">Whether the cache may forget, and so fail to renew a deadline: what it renews then depends on what it has not. Deadlines are the latest that are right.</param>
/// <remarks>A sliding deadline is renewed by a read only if it moves by an eighth of the window, or to the end of the entry's life: what is read all the time is not written all the time.</remarks>
internal sealed class BytesModel(TimeProvider clock, FasterDistributedCacheOptions options, bool mayForget)
{
    private const long Never = long.MaxValue;
    private const int RenewalsPerWindow = 8;

    private readonly Dictionary<string, Entry> _entries = [];

    private long Now => clock.GetUtcNow().UtcTicks;

    /// <summary>What there is under a key, without renewing it.</summary>
    public Entry? Peek(string key) => _entries.TryGetValue(key, out var entry) && Now < entry.Deadline ? entry : null;

    /// <summary>Reads a key, which renews its deadline.</summary>
    public Entry? Read(string key)
    {
        if (Peek(key) is not { } entry) return null;
        if (entry.Window == 0) return entry;
        long next = Math.Min(Now + entry.Window, entry.Cap);
        if (mayForget || next - entry.Deadline >= Math.Max(1, entry.Window / RenewalsPerWindow) || (next == entry.Cap && next > entry.Deadline)) entry = entry with { Deadline = next };
        return _entries[key] = entry;
    }

    public void Set(string key, long version, int length, DistributedCacheEntryOptions lifetime)
    {
        long now = Now;
        long window = lifetime.SlidingExpiration?.Ticks ?? 0;
        long cap = lifetime.AbsoluteExpirationRelativeToNow is { } relative ? now + relative.Ticks : lifetime.AbsoluteExpiration?.UtcTicks ?? Never;
        if (window == 0 && cap == Never)
        {
            window = options.DefaultSlidingExpiration?.Ticks ?? 0;
            cap = options.DefaultTimeToLive is { } timeToLive ? now + timeToLive.Ticks : Never;
        }

        _entries[key] = new Entry(version, length, now, window == 0 ? cap : Math.Min(now + window, cap), window, cap);
    }

    public void Remove(string key) => _entries.Remove(key);

    public void RemoveByPrefix(string prefix)
    {
        foreach (string key in _entries.Keys.Where(key => key.StartsWith(prefix, StringComparison.Ordinal)).ToList()) _entries.Remove(key);
    }

    public void Clear() => _entries.Clear();

    /// <summary>Notes that the cache has lost the value of a key, or, of one in pieces, a piece: then its list may still be there, which says how long it is.</summary>
    public void Lose(string key, bool isInPieces)
    {
        if (isInPieces) _entries[key] = _entries[key] with { IsLost = true };
        else Remove(key);
    }

    public sealed record Entry(long Version, int Length, long Created, long Deadline, long Window, long Cap)
    {
        /// <summary>Whether the value cannot be read any more.</summary>
        public bool IsLost { get; init; }

        public TimeSpan? TimeLeft(long now) => Deadline == Never ? null : TimeSpan.FromTicks(Deadline - now);
    }
}
