using FASTER.core;

namespace HybridCaching.Devices;

/// <summary>One thing to do to one segment. Exactly one callback follows, always with success.</summary>
internal sealed record IoRequest(IoKind Kind, int Segment, long Offset = 0, nint Memory = 0, int Length = 0)
{
    /// <summary>FASTER's callback of a read or write.</summary>
    public DeviceIOCompletionCallback? Completed { get; init; }

    public object? Context { get; init; }

    /// <summary>Called after a removal.</summary>
    public Action? Removed { get; init; }

    /// <summary>Whose read this is; null for writes, and for reads of recoveries.</summary>
    public ReadTicket? Ticket { get; init; }
}
