using System.IO.MemoryMappedFiles;

namespace HybridCaching.CrashTests.Child;

/// <summary>
/// The expected state: a file of the parent, mapped by parent and child. What the child has stored in it outlives <c>kill -9</c>: first what it is about to do, then the cache's answer. So after a kill the parent knows what was
/// acknowledged, and what was on its way.
/// </summary>
/// <remarks>
/// A value of a key is right if its number is neither below the last acknowledged operation, nor below a value that was read before, nor cleared, and its set has begun. Misses are never judged. A key has one writer; only this thread,
/// and whoever judges while it does not run, knows when its value expires.
/// </remarks>
internal sealed unsafe class SharedState : IDisposable
{
    public const int Groups = 16;

    /// <summary>A key whose values slide is one in so many.</summary>
    private const int SlidingOneIn = 8;

    /// <summary>The caches count in milliseconds.</summary>
    private const long ClockSlack = 2 * TimeSpan.TicksPerMillisecond;

    private readonly MemoryMappedFile _file;
    private readonly MemoryMappedViewAccessor _view;
    private readonly StateHeader* _header;
    private readonly KeyState* _keys;

    private SharedState(string path, int keys, FileMode mode)
    {
        Path = path;
        _file = MemoryMappedFile.CreateFromFile(path, mode, null, mode == FileMode.Open ? 0 : sizeof(StateHeader) + ((long)keys * sizeof(KeyState)));
        _view = _file.CreateViewAccessor();
        byte* start = null;
        _view.SafeMemoryMappedViewHandle.AcquirePointer(ref start);
        _header = (StateHeader*)start;
        _keys = (KeyState*)(start + sizeof(StateHeader));
        if (mode != FileMode.Open) _header->Keys = keys;
    }

    public string Path { get; }

    public int Keys => (int)_header->Keys;

    public ref StateHeader Header => ref *_header;

    public ref KeyState this[int key] => ref _keys[key];

    /// <summary>The time of the caches.</summary>
    public long Now => DateTime.UtcNow.Ticks + Volatile.Read(ref _header->ClockOffset);

    private SharedPhase Phase
    {
        get => (SharedPhase)Volatile.Read(ref _header->Phase);
        set => Volatile.Write(ref _header->Phase, (long)value);
    }

    public static SharedState Create(string path, int keys) => new(path, keys, FileMode.CreateNew);

    public static SharedState Open(string path) => new(path, 0, FileMode.Open);

    public static int GroupOf(int key) => (key >> 2) % Groups;

    public static bool Slides(int key) => (key >> 2) % SlidingOneIn == 3;

    /// <summary>The number of an operation on a key, which begins now.</summary>
    public long Begin(int key)
    {
        long next = _keys[key].Begun + 1;
        Volatile.Write(ref _keys[key].Begun, next);
        return next;
    }

    /// <summary>A set is acknowledged.</summary>
    public void EndSet(int key, long number, int lifetime)
    {
        _keys[key].Deadline = lifetime == 0 ? long.MaxValue : Now + (lifetime * TimeSpan.TicksPerMillisecond);
        _keys[key].Window = Slides(key) ? lifetime : 0;
        _keys[key].IsThere = 1;
        Volatile.Write(ref _keys[key].Over, number);
    }

    /// <summary>A removal is acknowledged.</summary>
    public void EndRemove(int key, long number)
    {
        _keys[key].IsThere = 0;
        Volatile.Write(ref _keys[key].Over, number);
    }

    /// <summary>A thread is about to read or prolong a key of its own; where that slides and has not expired, its life is longer then.</summary>
    public void BeginRenewing(int key, int me)
    {
        if (Slides(key) && _keys[key].Window > 0 && _keys[key].Deadline >= Now) Volatile.Write(ref _header->Renewing[me], key + 1);
    }

    public void EndRenewing(int key, int me)
    {
        if (_header->Renewing[me] == 0) return;
        Prolong(key);
        Volatile.Write(ref _header->Renewing[me], 0);
    }

    /// <summary>Carries out an operation that removes many keys: what was acknowledged before it began may not be read after it has ended.</summary>
    /// <param name="group">The group; -1 for all keys.</param>
    /// <param name="clear">The operation.</param>
    public void Clear(int group, Action clear)
    {
        _header->Scope = group;
        NotePending();
        Phase = SharedPhase.ClearBegun;
        clear();
        Phase = SharedPhase.ClearOver;
        EndPhase();
    }

    /// <summary>Carries out a checkpoint.</summary>
    /// <param name="take">Takes it; says whether there is one.</param>
    public void Checkpoint(Func<bool> take)
    {
        NotePending();
        Phase = SharedPhase.CheckpointBegun;
        bool isTaken = take();
        Phase = isTaken ? SharedPhase.CheckpointOver : SharedPhase.None;
        EndPhase();
        if (isTaken) Interlocked.Increment(ref _header->Checkpoints);
    }

    /// <summary>To be called when the process that had the cache is gone: completes what it had been told and could not note any more.</summary>
    public void EndOfProcess()
    {
        _header->StoppedAt = Now;
        EndPhase();
        for (int thread = 0; thread < StateHeader.Threads; thread++)
        {
            if (_header->Renewing[thread] is > 0 and var key) Prolong((int)key - 1);
            _header->Renewing[thread] = 0;
        }
    }

    /// <summary>What a read of a key that begins now may not fall behind.</summary>
    public long FloorOf(int key) => Math.Max(Volatile.Read(ref _keys[key].Over), Math.Max(Volatile.Read(ref _keys[key].Read), Volatile.Read(ref _keys[key].Cleared)));

    /// <summary>Judges a value; null if it is right.</summary>
    /// <param name="key">The key that was asked for.</param>
    /// <param name="reading">What was found.</param>
    /// <param name="floor">From before the read.</param>
    public string? Judge(int key, in Reading reading, long floor)
    {
        long begun = Volatile.Read(ref _keys[key].Begun);
        if (!reading.IsWhole) return $"key {key}: not a value that anybody stored, {reading}";
        if (reading.Key != key) return $"key {key}: the value of another, {reading}";
        if (reading.Sequence < floor) return $"key {key}: stale, {reading}, though {floor} was known before the read began; {Describe(key)}";
        if (reading.Sequence > begun) return $"key {key}: {reading}, though only {begun} have begun";
        Raise(ref _keys[key].Read, reading.Sequence);
        return null;
    }

    /// <summary>The same, and that it has not expired; for the key's own thread. What is read after a kill and was on its way then counts as acknowledged from now on.</summary>
    /// <param name="key">The key that was asked for.</param>
    /// <param name="reading">What was found.</param>
    /// <param name="floor">From before the read.</param>
    /// <param name="deadline">The key's deadline from before the read.</param>
    /// <param name="now">From before the read.</param>
    public string? JudgeOwn(int key, in Reading reading, long floor, long deadline, long now)
    {
        if (Judge(key, in reading, floor) is { } violation) return violation;
        ref var state = ref _keys[key];
        if (reading.Sequence > state.Over)
        {
            deadline = reading.Lifetime == 0 ? long.MaxValue : _header->StoppedAt + (reading.Lifetime * TimeSpan.TicksPerMillisecond);
            (state.Deadline, state.Window, state.IsThere) = (deadline, Slides(key) ? reading.Lifetime : 0, 1);
            Volatile.Write(ref state.Over, reading.Sequence);
        }

        return now > deadline && now - ClockSlack > deadline ? $"key {key}: expired {(now - deadline) / TimeSpan.TicksPerMillisecond} ms before the read, {reading}; {Describe(key)}" : null;
    }

    /// <summary>Whether the last checkpoint holds the value that a key has, if it has not expired and nothing had to go.</summary>
    public bool IsInCheckpoint(int key)
    {
        ref var state = ref _keys[key];
        return state.IsThere == 1 && state.Over == state.Begun && state.Over == state.Checkpointed && state.Over > state.Doubtful && state.Deadline > Now + TimeSpan.TicksPerMinute;
    }

    public void Dispose()
    {
        _view.SafeMemoryMappedViewHandle.ReleasePointer();
        _view.Dispose();
        _file.Dispose();
    }

    private string Describe(int key)
    {
        ref var state = ref _keys[key];
        return $"begun {state.Begun}, over {state.Over} ({(state.IsThere == 1 ? "set" : "removed or lost")}), read {state.Read}, cleared {state.Cleared}, checkpoint {state.Checkpointed}";
    }

    private void Prolong(int key)
    {
        _keys[key].Deadline = Math.Max(_keys[key].Deadline, Now + (_keys[key].Window * TimeSpan.TicksPerMillisecond));
    }

    private void NotePending()
    {
        for (int key = 0; key < Keys; key++) _keys[key].Pending = Volatile.Read(ref _keys[key].Over);
    }

    private void EndPhase()
    {
        for (int key = 0; key < Keys && Phase != SharedPhase.None; key++)
        {
            if (Phase == SharedPhase.CheckpointOver) _keys[key].Checkpointed = _keys[key].Pending;
            if (Phase is not (SharedPhase.ClearBegun or SharedPhase.ClearOver) || (_header->Scope >= 0 && _header->Scope != GroupOf(key))) continue;
            if (Phase == SharedPhase.ClearOver) Raise(ref _keys[key].Cleared, _keys[key].Pending + 1);
            _keys[key].Doubtful = Volatile.Read(ref _keys[key].Begun);
        }

        Phase = SharedPhase.None;
    }

    private static void Raise(ref long field, long value)
    {
        long seen = Volatile.Read(ref field);
        while (seen < value && Interlocked.CompareExchange(ref field, value, seen) is var now && now != seen) seen = now;
    }
}
