namespace HybridCaching.CrashTests.Child;

/// <summary>A thread that sets, overwrites, removes, renews and reads its own keys, and reads those of the others.</summary>
internal sealed class Writer(ISubject subject, SharedState state, int me, int seed, Action<string> violated)
{
    public const int Count = 4;

    private const int ShortestLife = 20;
    private const int LongLife = 30_000;
    private const int UsualLength = 1500;
    private const int LongestLength = 200_000;

    private readonly Random _random = new((seed * Count) + me);

    public long Hits { get; private set; }

    /// <summary>Of <see cref="Expected"/>, those that were there.</summary>
    public long ExpectedHits { get; private set; }

    /// <summary>Keys whose newest value was in the last checkpoint.</summary>
    public long Expected { get; private set; }

    /// <summary>Judges all own keys, once; nobody else may be at work on them.</summary>
    public void JudgeAll()
    {
        for (int key = me; key < state.Keys; key += Count)
        {
            bool isExpected = state.IsInCheckpoint(key);
            if (isExpected) Expected++;
            bool isHit = ReadOwn(key);
            if (isHit && isExpected) ExpectedHits++;
            if (!isHit) state[key].IsThere = 0;
        }
    }

    public void Step()
    {
        int key = NextOwn();
        switch (_random.Next(100))
        {
            case < 45: Set(key); break;
            case < 55: Remove(key); break;
            case < 60: Renew(key); break;
            case < 85: ReadOwn(key); break;
            default: ReadOther(_random.Next(state.Keys)); break;
        }
    }

    private void Set(int key)
    {
        int lifetime = _random.Next(8) switch
        {
            0 => ShortestLife + _random.Next(300),
            1 => LongLife,
            _ => SharedState.Slides(key) ? LongLife : 0,
        };
        int length = _random.Next(2000) == 0 ? _random.Next(LongestLength) : ValueLength.Next(key, UsualLength, _random);
        long number = state.Begin(key);
        subject.Set(new Reading(key, me, number, lifetime, length, IsWhole: true));
        state.EndSet(key, number, lifetime);
    }

    private void Remove(int key)
    {
        long number = state.Begin(key);
        subject.Remove(key);
        state.EndRemove(key, number);
    }

    private void Renew(int key)
    {
        state.BeginRenewing(key, me);
        subject.Renew(key);
        state.EndRenewing(key, me);
    }

    private bool ReadOwn(int key)
    {
        long floor = state.FloorOf(key);
        long deadline = state[key].Deadline;
        long now = state.Now;
        state.BeginRenewing(key, me);
        bool isHit = subject.TryRead(key, out var reading);
        state.EndRenewing(key, me);
        if (!isHit) return false;
        Hits++;
        if (state.JudgeOwn(key, in reading, floor, deadline, now) is { } violation) violated(violation);
        return true;
    }

    /// <summary>Of what slides nobody but its own thread may prolong the life.</summary>
    private void ReadOther(int key)
    {
        if (SharedState.Slides(key)) return;
        long floor = state.FloorOf(key);
        if (!subject.TryRead(key, out var reading)) return;
        Hits++;
        if (state.Judge(key, in reading, floor) is { } violation) violated(violation);
    }

    private int NextOwn()
    {
        int keys = state.Keys / Count;
        int hot = _random.Next(2) == 0 ? keys / 16 : keys;
        return (_random.Next(Math.Max(1, hot)) * Count) + me;
    }
}
