using System.Runtime.CompilerServices;

namespace HybridCaching.Diagnostics;

/// <summary>A count that many threads raise without disturbing one another: a cell per thread, raised without a lock. Beyond 64 threads some share a cell and may lose a count when they meet.</summary>
internal sealed class StripedCounter
{
    private const int Cells = 64;

    /// <summary>Cells are two cache lines apart.</summary>
    private const int Stride = 16;

    /// <summary>The cell of this thread, counted from 1; 0 before it has one. The same in all counters.</summary>
    [ThreadStatic]
    private static int _cellOfThread;

    private static int _threads;

    private readonly long[] _cells = new long[(Cells + 1) * Stride];

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Increment()
    {
        int cell = _cellOfThread;
        if (cell == 0) cell = NewCell();
        _cells[cell * Stride]++;
    }

    public long Sum()
    {
        long sum = 0;
        for (int cell = 1; cell <= Cells; cell++) sum += Volatile.Read(ref _cells[cell * Stride]);
        return sum;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int NewCell() => _cellOfThread = (int)((uint)Interlocked.Increment(ref _threads) % Cells) + 1;
}
