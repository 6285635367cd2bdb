using FASTER.core;
using HybridCaching.Benchmarks.Workloads;
using HybridCaching.Store;

namespace HybridCaching.Benchmarks.Contestants;

/// <summary>A bare <see cref="FasterKV{Key, Value}"/> with a session per worker: the floor for what wraps it.</summary>
internal sealed class StoreContestant<TRecord> : IContestant
    where TRecord : unmanaged, IRecord<TRecord>
{
    private readonly StoreSettings _settings;
    private readonly WorkDirectory? _directory;
    private readonly IDevice _device;
    private readonly FasterKV<long, TRecord> _store;
    private readonly ClientSession<long, TRecord, long, TRecord, Empty, StoreFunctions<TRecord>>[] _sessions;
    private readonly ReadSink<TRecord>[] _sinks;

    public StoreContestant(StoreSettings settings, int workers)
    {
        _settings = settings;
        _directory = settings.OnDisk ? new WorkDirectory() : null;
        _device = _directory is null ? new NullDevice() : FASTER.core.Devices.CreateLogDevice(Path.Combine(_directory.Path, "log"), deleteOnClose: true);
        _store = new FasterKV<long, TRecord>(new FasterKVSettings<long, TRecord>
        {
            IndexSize = settings.IndexBytes,
            MemorySize = settings.ActualBufferBytes,
            PageSize = settings.ActualPageBytes,
            LogDevice = _device,
            ConcurrencyControlMode = settings.Mode,
            EqualityComparer = settings.Comparer,
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

    public int ReadAndOverwrite(int worker, ReadOnlySpan<long> keys)
    {
        var session = _sessions[worker];
        int completed = 0;
        for (int i = 0; i < keys.Length; i++)
        {
            long key = keys[i];
            if ((i & 1) == 0)
            {
                if (TryRead(session, _sinks[worker], key)) completed++;
            }
            else
            {
                var record = TRecord.For(key);
                session.Upsert(ref key, ref record);
                completed++;
            }
        }

        return completed;
    }

    public int ReadModifyWrite(int worker, ReadOnlySpan<long> keys)
    {
        var session = _sessions[worker];
        foreach (long each in keys)
        {
            long key = each, input = 0;
            if (session.RMW(ref key, ref input).IsPending) session.CompletePending(wait: true);
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

    private static bool TryRead(ClientSession<long, TRecord, long, TRecord, Empty, StoreFunctions<TRecord>> session, ReadSink<TRecord> sink, long key)
    {
        TRecord record = default;
        var status = session.Read(ref key, ref record);
        bool found = status.Found;
        if (status.IsPending)
        {
            session.CompletePending(wait: true);
            found = sink.Found;
            record = sink.Record;
        }

        if (found && !record.BelongsTo(key)) Verdict.WrongValue(key);
        return found;
    }

    private ClientSession<long, TRecord, long, TRecord, Empty, StoreFunctions<TRecord>> NewSession(ReadSink<TRecord> sink)
    {
        var functions = new StoreFunctions<TRecord>(_settings.AppendOnly, sink);
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

        return found;
    }

    private int ReadUnsafe<TFence>(int worker, ReadOnlySpan<long> keys)
        where TFence : struct, IFence
    {
        var context = _sessions[worker].UnsafeContext;
        int found = 0;
        foreach (long each in keys)
        {
            long key = each;
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

            if (!record.BelongsTo(key)) Verdict.WrongValue(key);
            found++;
        }

        return found;
    }

    private int OverwriteBasic(int worker, ReadOnlySpan<long> keys)
    {
        var session = _sessions[worker];
        foreach (long each in keys)
        {
            long key = each;
            var record = TRecord.For(key);
            session.Upsert(ref key, ref record);
        }

        return keys.Length;
    }

    private int OverwriteUnsafe<TFence>(int worker, ReadOnlySpan<long> keys)
        where TFence : struct, IFence
    {
        var context = _sessions[worker].UnsafeContext;
        foreach (long each in keys)
        {
            long key = each;
            var record = TRecord.For(key);
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
