using System.Runtime.InteropServices;

namespace HybridCaching.HitRate.Traces;

/// <summary>Collects requests and renumbers their keys.</summary>
internal sealed class TraceBuilder(string name, bool isSized)
{
    private readonly Dictionary<long, int> _ids = [];
    private readonly List<int> _requests = [];
    private readonly List<long> _keys = [];
    private readonly List<int> _weights = [];

    public int Count => _requests.Count;

    /// <summary>Adds a request.</summary>
    /// <param name="key">The key asked for.</param>
    /// <param name="weight">Its size; 1 where there are no sizes.</param>
    public void Add(long key, int weight = 1)
    {
        ref int id = ref CollectionsMarshal.GetValueRefOrAddDefault(_ids, key, out bool isKnown);
        if (!isKnown)
        {
            id = _keys.Count;
            _keys.Add(key);
            _weights.Add(weight);
        }

        _requests.Add(id);
    }

    /// <summary>The weight of a key that was added before; null for any other.</summary>
    public int? WeightOf(long key) => _ids.TryGetValue(key, out int id) ? _weights[id] : null;

    public Trace Build() => new()
    {
        Name = name,
        Requests = [.. _requests],
        Keys = [.. _keys],
        Weights = [.. _weights],
        IsSized = isSized,
    };
}
