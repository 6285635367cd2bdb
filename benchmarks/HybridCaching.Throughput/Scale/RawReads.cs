using System.Diagnostics;
using System.Runtime.InteropServices;
using HybridCaching.Throughput.Native;

namespace HybridCaching.Throughput.Scale;

/// <summary>What the disk itself takes for a block of the cache's files, anywhere in them, past the page cache: a get that asks the disk cannot be faster, and disks are not as fast for many bytes as for few.</summary>
internal static unsafe class RawReads
{
    private const int BlockBytes = 4096;
    private const int MostFiles = 900;
    private static readonly TimeSpan Duration = TimeSpan.FromSeconds(1);

    /// <summary>Reads one block after the other for a second.</summary>
    /// <returns>Nanoseconds for each; null where there is no direct I/O.</returns>
    public static double? Measure(string directory, int seed)
    {
        FileInfo[] logs = [.. new DirectoryInfo(directory).EnumerateFiles("log-*", SearchOption.AllDirectories).Where(file => file.Length >= BlockBytes)];
        var random = new Random(seed);
        random.Shuffle(logs);
        var files = logs.Take(MostFiles).Select(file => (Handle: DirectFile.TryOpen(file.FullName), Blocks: file.Length / BlockBytes)).ToArray();
        byte* block = (byte*)NativeMemory.AlignedAlloc(BlockBytes, BlockBytes);
        try
        {
            if (files.Length == 0 || files.Any(file => file.Handle is null)) return null;
            long reads = 0;
            long start = Stopwatch.GetTimestamp();
            for (; Stopwatch.GetElapsedTime(start) < Duration; reads++)
            {
                var (handle, blocks) = files[random.Next(files.Length)];
                RandomAccess.Read(handle!, new Span<byte>(block, BlockBytes), random.NextInt64(blocks) * BlockBytes);
            }

            return Stopwatch.GetElapsedTime(start).TotalNanoseconds / reads;
        }
        finally
        {
            NativeMemory.AlignedFree(block);
            foreach (var (handle, _) in files) handle?.Dispose();
        }
    }
}
