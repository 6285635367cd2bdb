namespace HybridCaching.Benchmarks.Workloads;

/// <summary>The managed heap between measurements.</summary>
internal static class Heap
{
    /// <summary>Collects everything that is dead, so that no contestant pays for the garbage of another.</summary>
    public static void Collect()
    {
        GC.Collect(GC.MaxGeneration, GCCollectionMode.Forced, blocking: true);
        GC.WaitForPendingFinalizers();
        GC.Collect(GC.MaxGeneration, GCCollectionMode.Forced, blocking: true);
    }

    /// <summary>As <see cref="Collect"/>, and gives the system all memory that the heap does not need, so that what the process takes afterwards shows.</summary>
    public static void GiveBack()
    {
        Collect();
        GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);
    }

    /// <summary>Bytes alive after a full collection.</summary>
    public static long Live()
    {
        Collect();
        return GC.GetTotalMemory(forceFullCollection: false);
    }
}
