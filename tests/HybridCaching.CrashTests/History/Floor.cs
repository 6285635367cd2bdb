namespace HybridCaching.CrashTests.History;

/// <summary>Events that make values outdated: when each was known, and when it had begun. Answers which had begun last of those known at a moment.</summary>
internal sealed class Floor
{
    private readonly List<(long Known, long Begin)> _events = [];

    public void Add(long known, long begin) => _events.Add((known, begin));

    /// <summary>To be called when all events are there.</summary>
    public void Sort()
    {
        _events.Sort();
        for (int i = 1; i < _events.Count; i++) _events[i] = (_events[i].Known, Math.Max(_events[i].Begin, _events[i - 1].Begin));
    }

    /// <summary>When the last of the events began that were known before a moment.</summary>
    public long At(long moment)
    {
        (int low, int high) = (0, _events.Count);
        while (low < high)
        {
            int middle = (low + high) / 2;
            if (_events[middle].Known < moment) low = middle + 1;
            else high = middle;
        }

        return low == 0 ? long.MinValue : _events[low - 1].Begin;
    }
}
