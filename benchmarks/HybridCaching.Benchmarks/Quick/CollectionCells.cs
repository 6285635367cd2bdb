using HybridCaching.Benchmarks.Contestants;
using HybridCaching.Benchmarks.Workloads;
using Microsoft.Extensions.Caching.Distributed;

namespace HybridCaching.Benchmarks.Quick;

/// <summary>How long a full blocking collection stops the process that holds 1,000,000 entries of 100 bytes.</summary>
internal static class CollectionCells
{
    private const int Entries = 1_000_000;
    private const int ValueBytes = 100;
    private const long MemoryBudget = 512 << 20;
    private const double Target = 0.1;

    public static IEnumerable<Cell> Measure()
    {
        double[][] figures = Paired.Measure(
            () => Pause(DistributedContestant.NewOfMicrosoft()),
            () => Pause(DistributedContestant.New(directory: null, MemoryBudget, FasterCacheOptions.DefaultDiskBudget, ValueBytes, ValueBytes)));
        return [new Cell("full blocking collection, 1 M entries of 100 B", Threads: 1, DistributedContestant.Memory, figures[1], figures[0], Target)];
    }

    private static Outcome Pause(IDistributedCache cache)
    {
        using var disposable = cache as IDisposable;
        var never = new DistributedCacheEntryOptions();
        for (int number = 0; number < Entries; number++)
        {
            byte[] value = new byte[ValueBytes];
            ValueStamp.Put(number, value);
            cache.Set(ByteEntries.KeyOf(number), value, never);
        }

        Heap.Collect(); // what is measured next finds no garbage and nothing young
        GC.Collect(GC.MaxGeneration, GCCollectionMode.Forced, blocking: true);
        var pause = GC.GetGCMemoryInfo(GCKind.FullBlocking).PauseDurations[0];
        int found = 0;
        for (int number = 0; number < Entries; number++)
        {
            if (cache.Get(ByteEntries.KeyOf(number)) is not { } value) continue;
            ValueStamp.Check(number, value);
            found++;
        }

        new Outcome(pause, Entries, found).EnsureComplete(cache.GetType().Name);
        return new Outcome(pause, Asked: 1, Completed: 1);
    }
}
