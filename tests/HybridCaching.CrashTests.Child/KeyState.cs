using System.Runtime.InteropServices;

namespace HybridCaching.CrashTests.Child;

/// <summary>What is known of a key. Its operations, sets and removals alike, are numbered by the one thread that carries them out; a value carries the number of its set.</summary>
[StructLayout(LayoutKind.Sequential, Size = 64)]
public struct KeyState
{
    /// <summary>The last operation that has begun.</summary>
    public long Begun;

    /// <summary>The last one that is acknowledged.</summary>
    public long Over;

    /// <summary>The newest value that anybody has read.</summary>
    public long Read;

    /// <summary>What was removed together with others: values before this number.</summary>
    public long Cleared;

    /// <summary>What was acknowledged when a clear, or a checkpoint, began that is not acknowledged itself.</summary>
    public long Pending;

    /// <summary>Ticks: until when the value of <see cref="Over"/> may be returned at most.</summary>
    public long Deadline;

    /// <summary>What the last acknowledged checkpoint holds.</summary>
    public long Checkpointed;

    /// <summary>Milliseconds: the window of the value of <see cref="Over"/>, if its expiration slides.</summary>
    public int Window;

    /// <summary>1 if <see cref="Over"/> is a set, 0 if it is a removal.</summary>
    public int IsSet;
}
