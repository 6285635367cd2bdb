namespace HybridCaching.Tests.Distributed;

/// <summary>Reads asynchronous sequences to their end. The names of the library are ambiguous here: FASTER brings an older twin of them.</summary>
internal static class AsyncSequences
{
    public static async Task<List<T>> ReadAllAsync<T>(this IAsyncEnumerable<T> source)
    {
        var list = new List<T>();
        await foreach (var item in source) list.Add(item);
        return list;
    }
}
