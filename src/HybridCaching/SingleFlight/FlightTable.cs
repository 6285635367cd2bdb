using System.Collections.Concurrent;
using System.Runtime.InteropServices;

namespace HybridCaching.SingleFlight;

/// <summary>The factories that are running, by key: at most one that newcomers may join.</summary>
/// <remarks>
/// A writer marks the flight of its key stale inside the lock of the key's row, before it writes. A flight takes off, waits until no writer is at work on that
/// row, looks whether there is a value by now, and in the end looks at its mark and stores its value inside that lock. So a writer that did not see the flight
/// was done before the flight looked, and one that did has left its mark.
/// </remarks>
internal sealed class FlightTable<TKey, TValue>
    where TKey : unmanaged
{
    private readonly ConcurrentDictionary<TKey, Flight<TValue>> _flights = new(new BytesComparer());
    private int _count;

    /// <summary>Joins the flight of a key or starts one. Whoever starts it runs the factory, then calls <see cref="Close"/>.</summary>
    public Flight<TValue> Join(TKey key, out bool isPilot)
    {
        while (true)
        {
            if (_flights.TryGetValue(key, out var flight))
            {
                isPilot = false;
                if (flight.TryBoard()) return flight;
                flight.IsStale = true; // off the table nobody could mark it any more, and its factory may still be running
                Remove(key, flight);
            }

            flight = new Flight<TValue>();
            Interlocked.Increment(ref _count);
            isPilot = _flights.TryAdd(key, flight);
            if (isPilot) return flight;
            Interlocked.Decrement(ref _count);
        }
    }

    /// <summary>Takes a flight off the table: newcomers start another.</summary>
    public void Close(TKey key, Flight<TValue> flight) => Remove(key, flight);

    /// <summary>The key is about to be written or removed. The caller holds its row's lock, whose taking is a full fence: so a flight not yet counted has not looked yet.</summary>
    public void MarkStale(in TKey key)
    {
        if (Volatile.Read(ref _count) == 0 || !_flights.TryGetValue(key, out var flight)) return;
        flight.IsStale = true;
        Remove(key, flight);
    }

    /// <summary>All keys are about to be removed.</summary>
    public void MarkAllStale()
    {
        foreach (var (key, _) in _flights) MarkStale(in key);
    }

    private void Remove(TKey key, Flight<TValue> flight)
    {
        if (_flights.TryRemove(new KeyValuePair<TKey, Flight<TValue>>(key, flight))) Interlocked.Decrement(ref _count);
    }

    /// <summary>A key's bytes are its identity here as everywhere, whatever its type calls equal.</summary>
    private sealed class BytesComparer : IEqualityComparer<TKey>
    {
        public bool Equals(TKey x, TKey y) => Bytes(in x).SequenceEqual(Bytes(in y));

        public int GetHashCode(TKey key)
        {
            var hash = new HashCode();
            hash.AddBytes(Bytes(in key));
            return hash.ToHashCode();
        }

        private static ReadOnlySpan<byte> Bytes(ref readonly TKey key) => MemoryMarshal.AsBytes(new ReadOnlySpan<TKey>(in key));
    }
}
