using System.Globalization;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks.Quick;

/// <summary>The bytes that a hot hit of 1 KiB allocates on the calling thread.</summary>
internal static class AllocationFigures
{
    private const int Reads = 10_000;

    public static IEnumerable<Figure> Measure(WorkerTeam one)
    {
        var entries = new ByteEntries(ByteCells.Entries, ByteCells.ValueBytes);
        long[] hot = Keys.Hot(ByteCells.Entries, ByteCells.HotKeys, Reads);
        using var cache = ByteCells.NewHot(entries);
        one.Run(cache, Operations.Add, Keys.All(ByteCells.Entries, KeyOrder.Sequential)).EnsureComplete(cache.Name);
        double array = BytesPerRead(() => GC.KeepAlive(new byte[ByteCells.ValueBytes]));
        yield return Of("hot hit as byte[], 1 KiB: bytes allocated", array, BytesPerHit(Operations.Read));
        yield return Of("hot hit into an IBufferWriter, 1 KiB: bytes allocated", 0, BytesPerHit(Operations.ReadIntoWriter));

        double BytesPerHit(Operation operation)
        {
            operation(cache, worker: 0, hot); // into the hot tier
            long before = GC.GetAllocatedBytesForCurrentThread();
            int found = operation(cache, worker: 0, hot);
            double bytes = (GC.GetAllocatedBytesForCurrentThread() - before) / (double)Reads;
            return found == Reads ? bytes : throw new InvalidOperationException($"{cache.Name}: {found:N0} of {Reads:N0} hits.");
        }
    }

    private static double BytesPerRead(Action read)
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < Reads; i++) read();
        return (GC.GetAllocatedBytesForCurrentThread() - before) / (double)Reads;
    }

    private static Figure Of(string what, double target, double value) =>
        new(what, string.Create(CultureInfo.InvariantCulture, $"{target:N0}"), string.Create(CultureInfo.InvariantCulture, $"{value:N1}"));
}
