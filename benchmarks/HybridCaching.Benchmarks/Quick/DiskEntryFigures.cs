using HybridCaching.Benchmarks.Contestants;
using HybridCaching.Benchmarks.Workloads;
using Microsoft.Extensions.Caching.Distributed;

namespace HybridCaching.Benchmarks.Quick;

/// <summary>What an entry of 100 bytes on a disk that is full costs in memory, with a budget of 27 bytes for each of four million.</summary>
internal static class DiskEntryFigures
{
    private const int Entries = 4_000_000;
    private const int Stored = 2 * Entries;
    private const int ValueBytes = 100;
    private const int TypicalEntryBytes = 128;
    private const int DiskBytesPerEntry = 192;
    private const int Sample = 100_000;
    private const double Target = 27;
    private const string What = "bytes of memory per entry on disk, 100 B each, 768 MB of disk, full";

    public static IEnumerable<Figure> Measure()
    {
        var never = new DistributedCacheEntryOptions();
        byte[] value = new byte[ValueBytes];
        Heap.GiveBack();
        long before = ProcessMemory.InMemoryOnly();
        using var directory = new WorkDirectory();
        using var cache = DistributedContestant.New(directory, (long)(Target * Entries), (long)DiskBytesPerEntry * Entries, ValueBytes, TypicalEntryBytes);
        for (int number = 0; number < Stored; number++)
        {
            ValueStamp.Put(number, value);
            cache.Set(ByteEntries.KeyOf(number), value, never);
        }

        Heap.GiveBack();
        var memory = cache.GetMemoryUsage();
        long grown = ProcessMemory.InMemoryOnly() - before;
        int onDisk = 0;
        for (int number = 0; number < Stored; number += Stored / Sample)
        {
            if (cache.TryGetEntryInfo(ByteEntries.KeyOf(number), out var entry) && entry.Tier == CacheTier.Disk) onDisk++;
        }

        double entriesOnDisk = (double)Stored * onDisk / Sample;
        yield return Figure.Of($"{What}: index and buffers", (memory.Index + memory.Buffers) / entriesOnDisk, Target);
        yield return Figure.Of($"{What}: growth of the process without log and hot tier", (grown - memory.Log - memory.HotTier) / entriesOnDisk, Target);
        yield return Figure.Of($"{What}: all growth of the process", grown / entriesOnDisk, Target);
        yield return new Figure("entries on the disk of 8 M stored", "", $"{entriesOnDisk:N0}");
    }
}
