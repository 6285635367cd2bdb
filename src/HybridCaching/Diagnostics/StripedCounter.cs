using System.Numerics;
using System.Runtime.CompilerServices;

namespace HybridCaching.Diagnostics;

/// <summary>A count that many threads raise without disturbing one another: a cell per core, raised without a lock. Two threads that meet in one cell may lose a count.</summary>
internal sealed class StripedCounter
{
    /// <summary>Cells used are two cache lines apart.</summary>
    private const int Stride = 16;

    private readonly long[] _cells;
    private readonly int _mask;

    public StripedCounter()
    {
        int cells = (int)BitOperations.RoundUpToPowerOf2((uint)Environment.ProcessorCount);
        _mask = cells - 1;
        _cells = new long[(cells + 1) * Stride];
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Increment() => _cells[((Thread.GetCurrentProcessorId() & _mask) + 1) * Stride]++;

    public long Sum()
    {
        long sum = 0;
        for (int i = Stride; i < _cells.Length; i += Stride) sum += Volatile.Read(ref _cells[i]);
        return sum;
    }
}
