using System.Buffers;
using HybridCaching.Benchmarks.Workloads;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Caching.Memory;
using Microsoft.Extensions.Options;

namespace HybridCaching.Benchmarks.Contestants;

/// <summary>Bytes by text key: <see cref="FasterDistributedCache"/>, or the one of Microsoft's that keeps the very arrays it is given and hands them out again.</summary>
internal sealed class DistributedContestant : IContestant
{
    public const string Memory = "MemoryDistributedCache";


    /// <summary>The most that the options take.</summary>
    private const int MostTypicalBytes = 64 << 10;

    /// <summary>More than a cache line between the writers of two workers.</summary>
    private const int WriterRoom = 1024;

    private static readonly int MostWorkers = Math.Max(8, Environment.ProcessorCount);
    private static readonly DistributedCacheEntryOptions NeverExpires = new();

    private readonly ByteEntries _entries;
    private readonly IDistributedCache _cache;
    private readonly IBufferDistributedCache? _withWriter;
    private readonly WorkDirectory? _directory;
    private readonly ArrayBufferWriter<byte>[] _writers;

    private DistributedContestant(string name, ByteEntries entries, IDistributedCache cache, WorkDirectory? directory = null)
    {
        Name = name;
        _entries = entries;
        _cache = cache;
        _withWriter = cache as IBufferDistributedCache;
        _directory = directory;
        _writers = [.. Enumerable.Range(0, MostWorkers).Select(_ => new ArrayBufferWriter<byte>(entries.ValueBytes + WriterRoom))];
    }

    public string Name { get; }

    public long? MemoryInUse => Cache?.GetMemoryUsage().Total;

    public TierHits? Hits => Cache?.GetStatistics() is { } statistics ? new TierHits(statistics.MemoryHits, statistics.DiskHits, statistics.Misses) : null;

    /// <summary>The library's cache; null for Microsoft's.</summary>
    public FasterDistributedCache? Cache => _cache as FasterDistributedCache;

    /// <summary>Microsoft's, with room for everything.</summary>
    public static DistributedContestant OfMicrosoft(ByteEntries entries) => new(Memory, entries, NewOfMicrosoft());

    /// <summary>As its defaults make it, which count sizes, but without the limit of 200 MB.</summary>
    public static MemoryDistributedCache NewOfMicrosoft() => new(Options.Create(new MemoryDistributedCacheOptions { SizeLimit = long.MaxValue / 2 }));

    /// <summary>The library's, all in memory.</summary>
    public static DistributedContestant InMemory(ByteEntries entries, double? hotTierShare = null) =>
        new(nameof(FasterDistributedCache), entries, New(directory: null, Budgets.BytesInMemory(entries), FasterCacheOptions.DefaultDiskBudget, entries.ValueBytes, entries.EntryBytes, hotTierShare));

    /// <summary>The library's, with a disk for what memory does not hold.</summary>
    public static DistributedContestant OnDisk(ByteEntries entries, long memoryBudget)
    {
        var directory = new WorkDirectory();
        return new(nameof(FasterDistributedCache), entries, New(directory, memoryBudget, Budgets.BytesOnDisk(entries), entries.ValueBytes, entries.EntryBytes), directory);
    }

    public static FasterDistributedCache New(WorkDirectory? directory, long memoryBudget, long diskBudget, int largestValue, int typicalEntry, double? hotTierShare = null) => new(new FasterDistributedCacheOptions
    {
        Name = "benchmark",
        Directory = directory?.Path,
        MemoryBudget = memoryBudget,
        DiskBudget = diskBudget,
        HotTierShare = hotTierShare,
        MaximumValueBytes = largestValue,
        TypicalEntryBytes = Math.Min(typicalEntry, MostTypicalBytes),
        WhenDirectoryUnavailable = DirectoryUnavailable.Throw,
    });

    public int Add(int worker, ReadOnlySpan<long> keys)
    {
        foreach (long key in keys) _cache.Set(_entries.Key(key), _entries.Value(key), NeverExpires);
        return keys.Length;
    }

    public int Overwrite(int worker, ReadOnlySpan<long> keys) => Add(worker, keys);

    public int Read(int worker, ReadOnlySpan<long> keys)
    {
        int found = 0;
        foreach (long key in keys)
        {
            if (_cache.Get(_entries.Key(key)) is not { } value) continue;
            ValueStamp.Check(key, value);
            found++;
        }

        return found;
    }

    /// <summary>As <see cref="Read"/>, into the worker's writer where the cache takes one.</summary>
    public int ReadIntoWriter(int worker, ReadOnlySpan<long> keys)
    {
        if (_withWriter is null) return Read(worker, keys);
        var writer = _writers[worker];
        int found = 0;
        foreach (long key in keys)
        {
            writer.ResetWrittenCount();
            if (!_withWriter.TryGet(_entries.Key(key), writer)) continue;
            ValueStamp.Check(key, writer.WrittenSpan);
            found++;
        }

        return found;
    }

    public int Mix(int worker, ReadOnlySpan<long> draws)
    {
        int completed = 0;
        foreach (long draw in draws) completed += draw >= 0 ? ReadIntoWriter(worker, [draw]) : Add(worker, [~draw]);
        return completed;
    }

    public int ReadModifyWrite(int worker, ReadOnlySpan<long> keys) => throw new NotSupportedException();

    public void Dispose()
    {
        Cache?.Dispose();
        _directory?.Dispose();
    }
}
