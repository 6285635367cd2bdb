namespace HybridCaching.Tests.Concurrency;

/// <summary>Numbers that only go up, whoever of many threads raises them.</summary>
internal static class Monotonic
{
    public static void Raise(ref long field, long value)
    {
        long seen = Volatile.Read(ref field);
        while (seen < value)
        {
            long now = Interlocked.CompareExchange(ref field, value, seen);
            if (now == seen) return;
            seen = now;
        }
    }
}
