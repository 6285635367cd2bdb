using HybridCaching.Benchmarks.Workloads;
using HybridCaching.Records;
using HybridCaching.Store;

namespace HybridCaching.Benchmarks.Contestants;

/// <summary>The library's log in memory, read through sessions from one source or another. Everything else is the same.</summary>
internal sealed class SessionContestant : IContestant
{
    private readonly SessionSource _source;
    private readonly SessionLog<EntrySession<long, Payload>, EntryReader<long, Payload>> _log;
    private readonly SessionPool<EntrySession<long, Payload>> _pool;
    private readonly EntrySession<long, Payload>[] _ofWorker;

    public SessionContestant(SessionSource source, int entries, int workers)
    {
        _source = source;
        _log = EntryLog<long, Payload>.Open(SameSettings.Plan(entries), MixingComparer.Hasher, device: null, checkpoints: null);
        _pool = new SessionPool<EntrySession<long, Payload>>(SameSettings.Sessions, _log.NewSession, nameof(SessionContestant));
        _ofWorker = [.. Enumerable.Range(0, workers).Select(_ => _log.NewSession())];
    }

    public string Name => _source.ToString();

    public long? MemoryInUse => null;

    public int Add(int worker, ReadOnlySpan<long> keys) => Overwrite(worker, keys);

    public int Read(int worker, ReadOnlySpan<long> keys) => _source switch
    {
        SessionSource.Pool => ReadPooled(keys),
        SessionSource.NewPerCall => ReadWithNewSessions(keys),
        _ => ReadWithOneSession(_ofWorker[worker], keys),
    };

    public int Overwrite(int worker, ReadOnlySpan<long> keys)
    {
        var session = _ofWorker[worker];
        Entry<Payload> entry = default;
        foreach (long key in keys)
        {
            entry.Value = Payload.For(key);
            session.Upsert(in key, MixingComparer.Hasher.Hash(in key), ref entry, out _);
        }

        return keys.Length;
    }

    public int Mix(int worker, ReadOnlySpan<long> draws) => throw new NotSupportedException();

    public int ReadModifyWrite(int worker, ReadOnlySpan<long> keys) => throw new NotSupportedException();

    public void Dispose()
    {
        foreach (var session in _ofWorker) session.Dispose();
        _pool.Drain(TimeSpan.FromSeconds(5));
        _log.Dispose();
    }

    private static bool TryRead(EntrySession<long, Payload> session, long key)
    {
        Entry<Payload> entry = default;
        if (session.Find(in key, MixingComparer.Hasher.Hash(in key), ref entry) != Lookup.Found) return false;
        if (!entry.Value.BelongsTo(key)) Verdict.WrongValue(key);
        return true;
    }

    private static int ReadWithOneSession(EntrySession<long, Payload> session, ReadOnlySpan<long> keys)
    {
        int found = 0;
        foreach (long key in keys)
        {
            if (TryRead(session, key)) found++;
        }

        return found;
    }

    private int ReadPooled(ReadOnlySpan<long> keys)
    {
        int found = 0;
        foreach (long key in keys)
        {
            var session = _pool.Rent();
            if (TryRead(session, key)) found++;
            _pool.Return(session);
        }

        return found;
    }

    private int ReadWithNewSessions(ReadOnlySpan<long> keys)
    {
        int found = 0;
        foreach (long key in keys)
        {
            using var session = _log.NewSession();
            if (TryRead(session, key)) found++;
        }

        return found;
    }
}
