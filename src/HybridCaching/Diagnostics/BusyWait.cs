namespace HybridCaching.Diagnostics;

/// <summary>Waits for what another thread does within some instructions: some turns of the processor first, then by giving it away.</summary>
/// <remarks>As <see cref="SpinWait"/>, but it never sleeps: a sleep, of no time at all too, throws in a thread that <see cref="Thread.Interrupt"/> was called for, and whoever waits here may hold what nobody else can give back.</remarks>
internal struct BusyWait
{
    private const int TurnsOfProcessor = 10;
    private const int MostTurnsAtOnce = 8;

    private static readonly bool HasOthers = Environment.ProcessorCount > 1;

    private int _turns;

    /// <summary>Takes a lock, whatever happens to the thread.</summary>
    public static void Enter(Lock locked)
    {
        for (BusyWait wait = default; !locked.TryEnter(); wait.Once())
        {
        }
    }

    /// <summary>Waits a little.</summary>
    public void Once()
    {
        if (HasOthers && _turns < TurnsOfProcessor) Thread.SpinWait(Math.Min(1 << _turns++, MostTurnsAtOnce));
        else Thread.Yield();
    }
}
