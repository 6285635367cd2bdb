using FASTER.core;
using HybridCaching.Benchmarks.Workloads;
using HybridCaching.Store;

namespace HybridCaching.Benchmarks.Contestants;

/// <summary>A bare <see cref="FasterKV{Key, Value}"/> with a session per worker: the floor for what wraps it.</summary>
/// <typeparam name="TKey">The type of the keys.</typeparam>
/// <typeparam name="TKind">How a key is made of the number that a workload draws.</typeparam>
/// <typeparam name="TRecord">The type of the values.</typeparam>
internal sealed class StoreContestant<TKey, TKind, TRecord> : IContestant
    where TKey : unmanaged
    where TKind : IKeyKind<TKey>
    where TRecord : unmanaged, IRecord<TRecord>
{
    private readonly StoreSettings _settings;
    private readonly WorkDirectory? _directory;
    private readonly IDevice _device;
    private readonly FasterKV<TKey, TRecord> _store;
    private readonly ClientSession<TKey, TRecord, long, TRecord, Empty, StoreFunctions<TKey, TRecord>>[] _sessions;
    private readonly ReadSink<TRecord>[] _sinks;

    public StoreContestant(StoreSettings settings, int workers)
    {
        _settings = settings;
        _directory = settings.OnDisk ? new WorkDirectory() : null;
        _device = _directory is null ? new NullDevice() : FASTER.core.Devices.CreateLogDevice(Path.Combine(_directory.Path, "log"), deleteOnClose: true);
        _store = new FasterKV<TKey, TRecord>(new FasterKVSettings<TKey, TRecord>
        {
            IndexSize = settings.IndexBytes,
            MemorySize = settings.ActualBufferBytes,
            PageSize = settings.ActualPageBytes,
            LogDevice = _device,
            ConcurrencyControlMode = settings.Mode,
            EqualityComparer = settings.Comparer as IFasterEqualityComparer<TKey>,
            CheckpointManager = new NoCheckpoints(),
            ReadCacheEnabled = settings.ReadCacheBytes > 0,
            ReadCacheMemorySize = Math.Max(settings.ReadCacheBytes, 1 << 20),
            ReadCachePageSize = settings.ActualPageBytes,
        });
        if (settings.EmptyPages > 0) _store.Log.EmptyPageCount = settings.EmptyPages;
        _sinks = [.. Enumerable.Range(0, workers).Select(_ => new ReadSink<TRecord>())];
        _sessions = [.. _sinks.Select(NewSession)];
    }

    public string Name => "FasterKV";

    public long? MemoryInUse => null;

    public TierHits? Hits => _sinks.Aggregate(default(TierHits), static (sum, sink) => sum + sink.Hits);

    public int Add(int worker, ReadOnlySpan<long> keys) => Overwrite(worker, keys);

    public int Read(int worker, ReadOnlySpan<long> keys) => _settings.Access switch
    {
        StoreAccess.Unsafe => ReadUnsafe<NoFence>(worker, keys),
        StoreAccess.FencedUnsafe => ReadUnsafe<FullFence>(worker, keys),
        _ => ReadBasic(worker, keys),
    };

    public int Overwrite(int worker, ReadOnlySpan<long> keys) => _settings.Access switch
    {
        StoreAccess.Unsafe => OverwriteUnsafe<NoFence>(worker, keys),
        StoreAccess.FencedUnsafe => OverwriteUnsafe<FullFence>(worker, keys),
        _ => OverwriteBasic(worker, keys),
    };

    public int Mix(int worker, ReadOnlySpan<long> draws)
    {
        var session = _sessions[worker];
        var sink = _sinks[worker];
        int found = 0, written = 0;
        foreach (long draw in draws)
        {
            if (draw >= 0)
            {
                if (TryRead(session, sink, draw)) found++;
            }
            else
            {
                Write(session, ~draw);
                written++;
            }
        }

        sink.Count(found, draws.Length - written - found);
        return found + written;
    }

    public int ReadModifyWrite(int worker, ReadOnlySpan<long> keys)
    {
        var session = _sessions[worker];
        foreach (long each in keys)
        {
            long number = each;
            var key = TKind.Of(number);
            if (session.RMW(ref key, ref number).IsPending) session.CompletePending(wait: true);
        }

        return keys.Length;
    }

    public void Dispose()
    {
        foreach (var session in _sessions) session.Dispose();
        _store.Dispose();
        _device.Dispose();
        _directory?.Dispose();
    }

    private static bool TryRead(ClientSession<TKey, TRecord, long, TRecord, Empty, StoreFunctions<TKey, TRecord>> session, ReadSink<TRecord> sink, long number)
    {
        var key = TKind.Of(number);
        TRecord record = default;
        var status = session.Read(ref key, ref record);
        bool found = status.Found;
        if (status.IsPending)
        {
            session.CompletePending(wait: true);
            found = sink.Found;
            record = sink.Record;
            if (found) sink.FromDisk++;
        }

        if (found && !record.BelongsTo(number)) Verdict.WrongValue(number);
        return found;
    }

    private static void Write(ClientSession<TKey, TRecord, long, TRecord, Empty, StoreFunctions<TKey, TRecord>> session, long number)
    {
        var key = TKind.Of(number);
        var record = TRecord.For(number);
        session.Upsert(ref key, ref record);
    }

    private ClientSession<TKey, TRecord, long, TRecord, Empty, StoreFunctions<TKey, TRecord>> NewSession(ReadSink<TRecord> sink)
    {
        var functions = new StoreFunctions<TKey, TRecord>(_settings.AppendOnly, sink);
        return _store.For(functions).NewSession(functions);
    }

    private int ReadBasic(int worker, ReadOnlySpan<long> keys)
    {
        var session = _sessions[worker];
        var sink = _sinks[worker];
        int found = 0;
        foreach (long key in keys)
        {
            if (TryRead(session, sink, key)) found++;
        }

        sink.Count(found, keys.Length - found);
        return found;
    }

    private int ReadUnsafe<TFence>(int worker, ReadOnlySpan<long> keys)
        where TFence : struct, IFence
    {
        var context = _sessions[worker].UnsafeContext;
        int found = 0;
        foreach (long number in keys)
        {
            var key = TKind.Of(number);
            TRecord record = default;
            context.BeginUnsafe();
            try
            {
                TFence.Issue();
                if (!context.Read(ref key, ref record).Found) continue;
            }
            finally
            {
                context.EndUnsafe();
            }

            if (!record.BelongsTo(number)) Verdict.WrongValue(number);
            found++;
        }

        return found;
    }

    private int OverwriteBasic(int worker, ReadOnlySpan<long> keys)
    {
        var session = _sessions[worker];
        foreach (long number in keys) Write(session, number);
        return keys.Length;
    }

    private int OverwriteUnsafe<TFence>(int worker, ReadOnlySpan<long> keys)
        where TFence : struct, IFence
    {
        var context = _sessions[worker].UnsafeContext;
        foreach (long number in keys)
        {
            var key = TKind.Of(number);
            var record = TRecord.For(number);
            context.BeginUnsafe();
            try
            {
                TFence.Issue();
                context.Upsert(ref key, ref record);
            }
            finally
            {
                context.EndUnsafe();
            }
        }

        return keys.Length;
    }
}
