using System.Diagnostics;
using HybridCaching.Configuration;
using HybridCaching.Devices;
using Microsoft.Win32.SafeHandles;

namespace HybridCaching.Benchmarks.Disk;

/// <summary>What a get reads, in the same ways, by a program that has nothing but the library's way to ask the kernel: no key, no index, no checksum, no copy. No cache in .NET can be better than that.</summary>
internal sealed class BareReads : IDisposable
{
    private const int BytesOfRead = 2 * MemoryPlan.BlockBytes;
    private const int ChunkBytes = 1 << 20;

    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(10);

    private readonly SafeFileHandle _file;
    private readonly KernelReads _reads;
    private long _ended;
    private long _failed;

    /// <param name="directory">Where its file lies.</param>
    /// <param name="name">Names the file.</param>
    /// <exception cref="InvalidOperationException">The file system, or the system, cannot do that.</exception>
    public BareReads(string directory, string name)
    {
        string path = Path.Combine(directory, name + ".dat");
        using (var file = File.OpenHandle(path, FileMode.Create, FileAccess.Write))
        {
            byte[] chunk = new byte[ChunkBytes];
            new Random(1).NextBytes(chunk);
            for (long offset = 0; offset < (long)ColdGets.Entries * MemoryPlan.BlockBytes; offset += ChunkBytes) RandomAccess.Write(file, chunk, offset);
            RandomAccess.FlushToDisk(file);
        }

        _file = DirectFile.TryOpen(path) ?? throw new InvalidOperationException($"'{path}' cannot be read past the page cache.");
        _reads = KernelReads.TryCreate("bare-reap", 64, IoUring.IsWanted, End) ?? throw new InvalidOperationException("The kernel's AIO is missing.");
    }

    /// <exception cref="InvalidOperationException">A read has failed.</exception>
    public ColdResult Run(ColdGets.Way way)
    {
        var result = ColdResult.Of(() => Interlocked.Read(ref _ended), start => Read(way, start));
        long failed = Interlocked.Read(ref _failed);
        return failed == 0 ? result : throw new InvalidOperationException($"{failed} reads have failed.");
    }

    public void Dispose()
    {
        _reads.Dispose();
        _file.Dispose();
    }

    private (double Gets, IEnumerable<double> Times) Read(ColdGets.Way way, long start)
    {
        List<double>[] times = way switch
        {
            ColdGets.Way.Async => Task.WhenAll(Enumerable.Range(0, ColdGets.Callers).Select(caller => Task.Run(() => ReadAsync(caller, start)))).GetAwaiter().GetResult(),
            ColdGets.Way.Threads => ColdGets.OnThreads(caller => Read(caller, start)),
            ColdGets.Way.Many => [Task.Run(() => ReadBatchesAsync(start, isOnThread: false)).GetAwaiter().GetResult()],
            _ => [ReadBatchesAsync(start, isOnThread: true).GetAwaiter().GetResult()],
        };
        int readsOfEach = way is ColdGets.Way.Many or ColdGets.Way.ManyOnThread ? ColdGets.Callers : 1;
        return (times.Sum(t => t.Count) * readsOfEach, times.SelectMany(t => t));
    }

    private async Task<List<double>> ReadAsync(int caller, long start)
    {
        var random = new Random(caller);
        var read = new RecordRead(BytesOfRead);
        var times = new List<double>(ColdGets.SamplesExpected);
        while (Stopwatch.GetElapsedTime(start) < ColdGets.Duration)
        {
            long asked = Stopwatch.GetTimestamp();
            Begin(read, random);
            Post([read]);
            await read.WaitAsync(Timeout, CancellationToken.None).ConfigureAwait(false);
            times.Add(Stopwatch.GetElapsedTime(asked).TotalMicroseconds);
        }

        return times;
    }

    private List<double> Read(int caller, long start)
    {
        var random = new Random(caller);
        var read = new RecordRead(BytesOfRead);
        var times = new List<double>(ColdGets.SamplesExpected);
        while (Stopwatch.GetElapsedTime(start) < ColdGets.Duration)
        {
            long asked = Stopwatch.GetTimestamp();
            Begin(read, random);
            if (!_reads.TryReadAndWait(read, Timeout, out bool hasEnded) || !hasEnded) throw new InvalidOperationException("The kernel refuses a read, or it takes too long.");
            times.Add(Stopwatch.GetElapsedTime(asked).TotalMicroseconds);
        }

        return times;
    }

    private async Task<List<double>> ReadBatchesAsync(long start, bool isOnThread)
    {
        var random = new Random(ColdGets.Callers);
        RecordRead[] reads = [.. Enumerable.Range(0, ColdGets.Callers).Select(_ => new RecordRead(BytesOfRead))];
        var times = new List<double>(ColdGets.SamplesExpected);
        while (Stopwatch.GetElapsedTime(start) < ColdGets.Duration)
        {
            long asked = Stopwatch.GetTimestamp();
            foreach (var read in reads) Begin(read, random);
            Post(reads);
            foreach (var read in reads)
            {
                if (isOnThread) read.Wait(Timeout);
                else await read.WaitAsync(Timeout, CancellationToken.None).ConfigureAwait(false);
            }

            times.Add(Stopwatch.GetElapsedTime(asked).TotalMicroseconds);
        }

        return times;
    }

    private void Begin(RecordRead read, Random random)
    {
        read.Begin(0, (long)random.Next(ColdGets.Entries - 1) * MemoryPlan.BlockBytes, [0, 0]);
        read.File = _file;
        read.BeginWaiting(0);
    }

    private void Post(ReadOnlySpan<RecordRead> reads)
    {
        if (_reads.Post(reads) < reads.Length) throw new InvalidOperationException("The kernel refuses a read.");
    }

    private void End(RecordRead read, long bytes)
    {
        Interlocked.Increment(ref _ended);
        if (bytes != read.Length) Interlocked.Increment(ref _failed);
        read.Signal();
    }
}
