using HybridCaching.HitRate.Traces;

namespace HybridCaching.HitRate.Replay;

/// <summary>Chooses the length of entries, so that the memory is large enough beside what a cache takes whatever it holds.</summary>
/// <param name="leastMemoryPercent">The least of the memory shares there will be.</param>
/// <param name="typicalEntryBytes">What the cache of bytes is told of its entries.</param>
internal sealed class CacheSizer(double leastMemoryPercent, long typicalEntryBytes)
{
    /// <summary>The memory is at least so many times the fixed costs.</summary>
    public const double Margin = 1.5;

    /// <summary>What a cache of bytes has at least: a common size of the smallest that are used.</summary>
    public const long LeastMemoryBytes = 8 << 20;

    private const int MostAttempts = 200;

    /// <summary>The size of a cache that holds a weight of the trace: a typed cache with the shortest entries that do, else the cache of bytes.</summary>
    public CacheSize SizeFor(Trace trace, long capacity)
    {
        if (!trace.IsSized)
        {
            foreach (var kind in CacheKind.Typed)
            {
                var size = new CacheSize(kind, capacity, kind.EntryBytes);
                if (MissingBytes(trace, size) == 0) return size;
            }
        }

        return SizeForBytes(trace, capacity);
    }

    /// <summary>What an empty cache takes that will never hold an entry: its index and its buffers. Null if it refuses the budgets.</summary>
    public static long? FixedBytes(Trace trace, CacheSize size, CacheBudgets budgets)
    {
        try
        {
            using var directory = new WorkDirectory();
            using var cache = size.Kind.Open(trace, size.UnitBytes, budgets, directory, new WarningCollector());
            var usage = cache.GetMemoryUsage();
            return usage.Index + usage.Buffers;
        }
        catch (ArgumentException)
        {
            return null;
        }
    }

    private CacheSize SizeForBytes(Trace trace, long capacity)
    {
        long leastUnit = (BytesReplay.LeastEntryBytes + trace.Weights.Min() - 1L) / trace.Weights.Min();
        var size = new CacheSize(CacheKind.Bytes, capacity, Math.Max(leastUnit, UnitFor(LeastMemoryBytes, capacity)));
        for (int attempt = 0; attempt < MostAttempts; attempt++)
        {
            long missing = MissingBytes(trace, size);
            if (missing == 0) return size;
            long memory = size.At(leastMemoryPercent, typicalEntryBytes).Memory;
            size = size with { UnitBytes = Math.Max(size.UnitBytes + 1, UnitFor(memory + missing, capacity)) };
        }

        throw new CannotStartException($"{trace.Name}: no length of entries was found for which {leastMemoryPercent} % of the total is enough memory");
    }

    /// <summary>How much more memory there has to be; a guess where the cache refuses the budgets.</summary>
    private long MissingBytes(Trace trace, CacheSize size)
    {
        var budgets = size.At(leastMemoryPercent, typicalEntryBytes);
        return FixedBytes(trace, size, budgets) is { } fixedBytes ? Math.Max(0, (long)(Margin * fixedBytes) - budgets.Memory) : budgets.Memory / 16;
    }

    /// <summary>Bytes for each unit of weight that make the memory so large.</summary>
    private long UnitFor(long memoryBytes, long capacity) => (long)Math.Ceiling(memoryBytes * 100 / (leastMemoryPercent * capacity));
}
