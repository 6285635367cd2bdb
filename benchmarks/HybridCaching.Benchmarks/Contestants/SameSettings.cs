using System.Runtime.CompilerServices;
using FASTER.core;
using HybridCaching.Benchmarks.Workloads;
using HybridCaching.Configuration;

namespace HybridCaching.Benchmarks.Contestants;

/// <summary>The settings that the library derives from a budget, for a raw store beside it.</summary>
internal static class SameSettings
{
    /// <summary>Enough for the workers of any suite.</summary>
    public const int Sessions = 64;

    /// <summary>What the library makes of the budget for so many entries in memory only.</summary>
    public static MemoryPlan Plan(int entries)
    {
        int recordBytes = sizeof(long) + sizeof(long) + Unsafe.SizeOf<HeadedPayload>();
        return MemoryPlan.Create(Budgets.Memory(entries, MemoryShare.Parse(MemoryShare.MemoryOnlyText), EntrySizes.Usual), diskBudget: 0, recordBytes, slotBytes: recordBytes - sizeof(long), Sessions, hotShare: 0);
    }

    public static StoreSettings InMemory(int entries)
    {
        var plan = Plan(entries);
        return new StoreSettings
        {
            IndexBytes = plan.IndexBytes,
            LogBytes = (long)plan.LogPages * plan.PageBytes,
            PageBytes = plan.PageBytes,
            Mode = ConcurrencyControlMode.RecordIsolation,
            Comparer = MixingComparer.Create(),
            OnDisk = false,
        };
    }
}
