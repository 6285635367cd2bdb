using FASTER.core;

namespace HybridCaching.Devices;

/// <summary>One thing to do to one segment. Exactly one callback or signal follows.</summary>
internal sealed record IoRequest(IoKind Kind, int Segment, long Offset = 0, nint Memory = 0, int Length = 0)
{
    /// <summary>FASTER's callback of a read or write.</summary>
    public DeviceIOCompletionCallback? Completed { get; init; }

    public object? Context { get; init; }

    /// <summary>Called after a removal.</summary>
    public Action? Removed { get; init; }

    /// <summary>The read of a reader; it has a buffer of its own and gets a signal in place of a callback.</summary>
    public RecordRead? Record { get; init; }

    /// <summary>When the thread that carries it out last did something for it, in <see cref="Environment.TickCount64"/>.</summary>
    public long TouchedAt { get; set; } = Environment.TickCount64;

    /// <summary>Whether nothing was done for it for longer than this.</summary>
    public bool HangsFor(TimeSpan patience) => Environment.TickCount64 - TouchedAt > patience.TotalMilliseconds;

    /// <summary>Which of those that wait for a thread come first.</summary>
    public IoUrgency Urgency => Kind == IoKind.Remove ? IoUrgency.WhenIdle : Kind == IoKind.Write && Segment >= SegmentFiles.FirstOfMain ? IoUrgency.Soonest : IoUrgency.Usual;

    /// <summary>Whether something of what is to be written may be on the disk, or still come there, even if the write fails or is given up.</summary>
    public bool MayBeOnDisk { get; set; }

    /// <summary>Whether it is a page that was offered, and is written now whatever the budget says.</summary>
    public bool MustWrite { get; set; }

    /// <summary>Whether it has ended, or was given up: its memory is FASTER's again. Read and set under the request's own lock.</summary>
    public bool IsOver { get; set; }
}
