using System.Numerics;
using System.Runtime.InteropServices;
using FASTER.core;
using HybridCaching.Throughput.Workloads;

namespace HybridCaching.Throughput.Contestants;

/// <summary>A bare FasterKV with its own device and its read cache, a session per client.</summary>
internal sealed class FasterContestant<TValue> : IContestant
    where TValue : unmanaged
{
    private const long IndexBytesPerKey = 16;
    private const long OtherBytes = 4 << 20;
    private const long PageBytes = 256 << 10;

    /// <summary>The read cache has so many times the memory of the log: best of 1, 2, 3 and 5.</summary>
    private const int ReadCacheParts = 2;

    private readonly IDevice _device;
    private readonly FasterKV<long, TValue> _store;

    public FasterContestant(Conditions conditions, string directory)
    {
        long index = PowerOfTwoWithin(IndexBytesPerKey * conditions.Entries);
        long rest = Math.Max(4 << 20, conditions.Memory - index - OtherBytes);
        long readCache = rest * ReadCacheParts / (ReadCacheParts + 1);
        long log = rest - readCache;
        _device = FASTER.core.Devices.CreateLogDevice(Path.Combine(directory, "log"), deleteOnClose: true);
        _store = new FasterKV<long, TValue>(new FasterKVSettings<long, TValue>
        {
            IndexSize = index,
            MemorySize = PowerOfTwoFor(log),
            PageSize = PageBytes,
            LogDevice = _device,
            ReadCacheEnabled = true,
            ReadCacheMemorySize = PowerOfTwoFor(readCache),
            ReadCachePageSize = PageBytes,
            CheckpointDir = Path.Combine(directory, "checkpoints"),
        });
        KeepEmpty(_store.Log, log);
        KeepEmpty(_store.ReadCache, readCache);
        Settings = $"FasterKV<long, {typeof(TValue).Name}>, index {new ByteSize(index):H}, log {new ByteSize(log):H}, read cache {new ByteSize(readCache):H}, its own device for files, through the page cache";
    }

    public string Settings { get; }

    public long? MemoryInUse => _store.IndexSize * 64 + _store.Log.MemorySizeBytes + _store.ReadCache.MemorySizeBytes;

    public IClient NewClient() => new Client(_store);

    public void Dispose()
    {
        _store.Dispose();
        _device.Dispose();
    }

    /// <summary>FASTER takes powers of two; pages that are kept empty make any size of them.</summary>
    private static void KeepEmpty(LogAccessor<long, TValue> pages, long bytes) => pages.EmptyPageCount = Math.Max(pages.EmptyPageCount, (int)((PowerOfTwoFor(bytes) - bytes) / PageBytes));

    private static long PowerOfTwoFor(long bytes) => (long)BitOperations.RoundUpToPowerOf2((ulong)bytes);

    private static long PowerOfTwoWithin(long bytes) => (long)BitOperations.RoundUpToPowerOf2((ulong)bytes + 1) / 2;

    private sealed class Client : IClient
    {
        private readonly FasterOutcome<TValue> _outcome = new();
        private readonly ClientSession<long, TValue, long, TValue, Empty, FasterFunctions<TValue>> _session;

        public Client(FasterKV<long, TValue> store)
        {
            var functions = new FasterFunctions<TValue>(_outcome);
            _session = store.For(functions).NewSession(functions);
        }

        public int Get(long number, byte[] destination)
        {
            long key = KeyHash.Of(number);
            ref var value = ref MemoryMarshal.AsRef<TValue>(destination.AsSpan());
            var status = _session.Read(ref key, ref value);
            if (!status.IsPending) return status.Found ? destination.Length : IClient.Missing;
            _session.CompletePending(wait: true);
            if (!_outcome.Found) return IClient.Missing;
            value = _outcome.Value;
            return destination.Length;
        }

        public void Set(long number, byte[] value)
        {
            long key = KeyHash.Of(number);
            _session.Upsert(ref key, ref MemoryMarshal.AsRef<TValue>(value.AsSpan()));
        }

        public void Dispose() => _session.Dispose();
    }
}
