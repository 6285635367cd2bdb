using System.Collections.Concurrent;
using HybridCaching.Devices;
using HybridCaching.Records;

namespace HybridCaching.Tiering;

/// <summary>
/// The entries that callers of the cache rely on to mark others as invalid: the tag markers of Microsoft's HybridCache and of FusionCache. If such a marker were dropped before
/// what it invalidates, that would come back. So they stay in memory until they expire, are removed, or everything is cleared; and they are in every manifest, and in notes for the case that the process ends without one.
/// </summary>
/// <param name="capacity">Bytes of memory that they may take.</param>
internal sealed class PinnedEntries(long capacity)
{
    private long _capacity = capacity;

    /// <summary>How keys begin that Microsoft's HybridCache marks tags with.</summary>
    private const string HybridCachePrefix = "__MSFT_HCT__";

    /// <summary>What keys contain that FusionCache marks tags with, behind its own prefixes.</summary>
    private const string FusionCacheInfix = "__fc:t:";

    /// <summary>Markers hold a time; FusionCache wraps it.</summary>
    private const int MaximumValueBytes = 1024;

    /// <summary>So far into a key its own prefixes may reach.</summary>
    private const int MaximumInfixEnd = 256;

    /// <summary>What an entry costs beside key and value: three objects and its place in the dictionary.</summary>
    private const int OverheadBytes = 200;

    private readonly ConcurrentDictionary<string, PinnedEntry> _entries = new(StringComparer.Ordinal);
    private readonly Lock _changing = new();
    private long _bytes;
    private int _count;

    public int Count => Volatile.Read(ref _count);

    /// <summary>Where every change is written down; null for nowhere.</summary>
    public LiveNotes? Notes { get; set; }

    /// <summary>Called when there is no room for a change there.</summary>
    public Action? NotesOverflowed { get; set; }

    /// <summary>All keys, as they are now.</summary>
    public IEnumerable<string> Keys => _entries.Select(e => e.Key);

    /// <summary>Whether an entry must not leave: markers are short.</summary>
    public static bool Covers(string key, long valueBytes) =>
        valueBytes <= MaximumValueBytes && (key.StartsWith(HybridCachePrefix, StringComparison.Ordinal) || key.AsSpan(0, Math.Min(key.Length, MaximumInfixEnd)).Contains(FusionCacheInfix, StringComparison.Ordinal));

    public PinnedEntry? Find(string key) => Count == 0 ? null : _entries.GetValueOrDefault(key);

    /// <summary>Stores an entry.</summary>
    /// <param name="key">The key.</param>
    /// <param name="entry">The entry.</param>
    /// <param name="now">The time, in UTC ticks: what has expired makes room.</param>
    /// <returns>False if there is no room.</returns>
    public bool TrySet(string key, PinnedEntry entry, long now)
    {
        lock (_changing)
        {
            long bytes = BytesOf(key, entry) - (_entries.TryGetValue(key, out var older) ? BytesOf(key, older) : 0);
            if (_bytes + bytes > _capacity) ForgetExpired(now, except: key);
            if (_bytes + bytes > _capacity) return false;
            _entries[key] = entry; // replaced in one step: it is never missing
            _bytes += bytes;
            _count = _entries.Count;
            Note(key, entry);
            return true;
        }
    }

    /// <summary>Allows another number of bytes.</summary>
    /// <returns>False if there are more, even without what has expired.</returns>
    public bool TryResize(long bytes, long now)
    {
        lock (_changing)
        {
            _capacity = bytes;
            if (_bytes > bytes) ForgetExpired(now);
            return _bytes <= bytes;
        }
    }

    /// <summary>Removes an entry; false if there was none.</summary>
    public bool Remove(string key)
    {
        if (Count == 0 || !_entries.ContainsKey(key)) return false;
        lock (_changing)
        {
            bool isRemoved = Forget(key);
            if (isRemoved) Note(key, entry: null);
            return isRemoved;
        }
    }

    public void Clear()
    {
        lock (_changing)
        {
            _entries.Clear();
            (_bytes, _count) = (0, 0);
            Notes?.TryReplace([]);
        }
    }

    /// <summary>All entries as bytes: for each the length of its key, that of header and value, and the three. Of one that was removed there are only the first.</summary>
    public byte[] Save() => Save(isForNotes: false);

    private byte[] Save(bool isForNotes)
    {
        using var stream = new MemoryStream();
        using var writer = new BinaryWriter(stream);
        foreach (var (key, entry) in _entries) Write(writer, key, entry, isForNotes);
        return stream.ToArray();
    }

    /// <summary>Takes over what <see cref="Save()"/> has made.</summary>
    /// <param name="saved">The bytes.</param>
    /// <param name="now">The time, in UTC ticks: what has expired since makes room.</param>
    /// <returns>False if it is something else, or not all of it has room.</returns>
    public bool TryLoad(ReadOnlySpan<byte> saved, long now)
    {
        while (TryTake(ref saved, sizeof(int), out var keyLength) && TryTake(ref saved, sizeof(int), out var payloadLength)
            && TryTake(ref saved, BitConverter.ToInt32(keyLength), out var key) && TryTake(ref saved, BitConverter.ToInt32(payloadLength), out var payload))
        {
            if (payload.IsEmpty && KeyText.IsText(key))
            {
                Forget(KeyText.Decode(key));
                continue;
            }

            if (!KeyText.IsText(key) || !ValueHeader.TryParse(payload, out var header, out var value) || !header.IsIntact(key, value)) return false;
            if (header.IsSliding && header.Deadline == 0) header.Deadline = Lifetime.From(now, header.Lifetime.Cap, header.Lifetime.Window).Deadline;
            if (!TrySet(KeyText.Decode(key), new PinnedEntry(header, value.ToArray()), now)) return false;
        }

        return saved.IsEmpty;
    }

    /// <param name="writer">Where to.</param>
    /// <param name="key">The key.</param>
    /// <param name="entry">The entry; null for one that was removed.</param>
    /// <param name="isForNotes">Whether what is written stays as it is when the entry is prolonged: then one that slides has no deadline there, and begins anew with whoever reads that.</param>
    private static void Write(BinaryWriter writer, string key, PinnedEntry? entry, bool isForNotes)
    {
        byte[] encoded = KeyText.Encode(key);
        writer.Write(encoded.Length);
        if (entry is null)
        {
            writer.Write(0);
            writer.Write(encoded);
            return;
        }

        Span<byte> header = stackalloc byte[ValueHeader.MaximumBytes];
        var sealedHeader = entry.Header;
        if (isForNotes && sealedHeader.IsSliding) sealedHeader.Deadline = 0;
        sealedHeader.Seal(encoded, entry.Value);
        sealedHeader.CopyTo(header);
        writer.Write(sealedHeader.Bytes + entry.Value.Length);
        writer.Write(encoded);
        writer.Write(header[..sealedHeader.Bytes]);
        writer.Write(entry.Value);
    }

    /// <summary>Writes a change down. The caller has the lock.</summary>
    private void Note(string key, PinnedEntry? entry)
    {
        if (Notes is not { } notes) return;
        using var stream = new MemoryStream();
        using var writer = new BinaryWriter(stream);
        Write(writer, key, entry, isForNotes: true);
        if (notes.TryAdd(stream.ToArray()) || notes.TryReplace(Save(isForNotes: true))) return;
        Notes = null;
        NotesOverflowed?.Invoke();
    }

    private static bool TryTake(ref ReadOnlySpan<byte> from, int bytes, out ReadOnlySpan<byte> taken)
    {
        taken = default;
        if (bytes < 0 || bytes > from.Length) return false;
        taken = from[..bytes];
        from = from[bytes..];
        return true;
    }

    private void ForgetExpired(long now, string? except = null)
    {
        foreach (var (key, entry) in _entries)
        {
            if (key != except && entry.Header.Lifetime.IsOver(now)) Forget(key);
        }
    }

    private bool Forget(string key)
    {
        if (!_entries.TryRemove(key, out var old)) return false;
        _bytes -= BytesOf(key, old);
        _count = _entries.Count;
        return true;
    }

    private static long BytesOf(string key, PinnedEntry entry) => OverheadBytes + (sizeof(char) * (long)key.Length) + entry.Value.Length;
}
