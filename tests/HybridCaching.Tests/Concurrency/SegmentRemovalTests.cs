using HybridCaching.Configuration;
using HybridCaching.Devices;

namespace HybridCaching.Tests.Concurrency;

public sealed class SegmentRemovalTests : IDisposable
{
    private const int Segments = 2_000;

    private readonly TestDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public void TryReadCached_SegmentRemovedMeanwhile_NeverThrows()
    {
        using var folder = CacheFolder.Open(_directory.Combine("cache"));
        using var files = new SegmentFiles(folder, "log", Segments);
        byte[] block = new byte[MemoryPlan.BlockBytes];
        for (int segment = 0; segment < Segments; segment++) files.Write(segment, 0, block);
        int removed = 0;
        Crew.Run(3, me =>
        {
            byte[] bytes = new byte[MemoryPlan.BlockBytes];
            while (Volatile.Read(ref removed) is var oldest && oldest < Segments)
            {
                if (me > 0)
                {
                    files.TryReadCached(oldest, 0, bytes);
                    continue;
                }

                files.Remove(oldest);
                Volatile.Write(ref removed, oldest + 1);
            }
        });
    }
}
