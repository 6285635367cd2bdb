using HybridCaching.HotTier;
using HybridCaching.Records;

namespace HybridCaching.Tests.HotTier;

internal static class HotTableExtensions
{
    /// <summary>Brings the copy of a key up to date, if there is one, as a set does. The caller holds the row's lock.</summary>
    public static void Update<TKey, TValue>(this HotTable<TKey, TValue> table, in TKey key, ulong hash, in Entry<TValue> entry)
        where TKey : unmanaged
        where TValue : unmanaged
    {
        if (table.Find(in key, hash) is >= 0 and var way) table.Update(hash, way, in entry);
    }
}
