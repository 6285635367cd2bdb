namespace HybridCaching.CrashTests.History;

/// <summary>What one thread did, in memory that was there before. No locks.</summary>
internal sealed class ThreadHistory(int thread, int capacity)
{
    private const int IndexBits = 40;

    private readonly Operation[] _operations = new Operation[capacity];

    public int Count { get; private set; }

    public bool IsFull => Count == _operations.Length;

    public ReadOnlySpan<Operation> Operations => _operations.AsSpan(0, Count);

    /// <summary>The value that the next operation stores if it is a set: no other set ever has the same.</summary>
    public long NextValue => ValueOf(thread, Count);

    /// <summary>The value of the set of a thread that was its operation of an index.</summary>
    public static long ValueOf(int thread, long index) => ((long)thread << IndexBits) | index;

    public static int ThreadOf(long value) => (int)(value >> IndexBits);

    public static int IndexOf(long value) => (int)(value & ((1L << IndexBits) - 1));

    public long CountHits()
    {
        long hits = 0;
        foreach (ref readonly var operation in Operations) hits += operation.Kind == OperationKind.Hit ? 1 : 0;
        return hits;
    }

    public void Add(in Operation operation) => _operations[Count++] = operation;
}
