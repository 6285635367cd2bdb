namespace HybridCaching.Benchmarks.Workloads;

/// <summary>Goes through a long sequence of keys piece by piece, so that a repetition does not ask for the very keys of the one before.</summary>
internal sealed class KeyWindows(long[] keys, int length)
{
    private int _start;

    public ReadOnlyMemory<long> Next()
    {
        if (_start + length > keys.Length) _start = 0;
        var window = keys.AsMemory(_start, length);
        _start += length;
        return window;
    }
}
