namespace HybridCaching.CrashTests.Child;

/// <summary>A thread that does what concerns many keys: clears, groups removed, other budgets, checkpoints; or only these.</summary>
internal sealed class Steward(ISubject subject, SharedState state, int seed, bool onlyCheckpoints)
{
    private const long Mebibyte = 1 << 20;
    private const int ShortestPause = 10;
    private const int LongestPause = 120;
    private const int Step = 2;

    private readonly Random _random = new(seed ^ 0x5173);

    public void Go(Func<bool> isOver)
    {
        while (!isOver())
        {
            switch (onlyCheckpoints ? _random.Next(2) * 17 : _random.Next(20))
            {
                case < 7: state.Checkpoint(Checkpoint); break;
                case < 12: Resize(); break;
                case < 16: RemoveGroup(_random.Next(SharedState.Groups)); break;
                case < 18: state.Checkpoint(Flush); break;
                default: state.Clear(-1, subject.Clear); break;
            }

            for (int left = _random.Next(ShortestPause, LongestPause); left > 0; left -= Step)
            {
                NoteEvictions(subject, state);
                Thread.Sleep(Step);
            }
        }
    }

    /// <summary>Without evictions a checkpoint holds everything.</summary>
    public static void NoteEvictions(ISubject subject, SharedState state)
    {
        var statistics = subject.GetStatistics();
        if (statistics.Evictions + statistics.WithheldWrites + statistics.DroppedWrites > 0) state.Header.HasEvicted = 1;
    }

    private bool Checkpoint()
    {
        bool isTaken = subject.Checkpoint();
        NoteEvictions(subject, state);
        return isTaken;
    }

    /// <summary>What is on the disk is found after a kill as well.</summary>
    private bool Flush()
    {
        subject.Flush();
        return true;
    }

    private void RemoveGroup(int group) => state.Clear(group, () => subject.RemoveGroup(group));

    private void Resize()
    {
        try
        {
            (long memory, long disk) = ((8 + _random.Next(16)) * Mebibyte, (6 + _random.Next(40)) * Mebibyte);
            state.Header.HasEvicted = 1; // an index of another size may lose some
            subject.Resize(memory, disk);
            (state.Header.MemoryBudget, state.Header.DiskBudget) = (memory, disk);
        }
        catch (ArgumentOutOfRangeException)
        {
            // Not every budget can be reached from every other; then nothing has changed.
        }
    }
}
