using FASTER.core;

namespace HybridCaching.Devices;

internal enum IoKind : byte
{
    Read,
    Write,
    Remove,
}

/// <summary>One thing to do to one segment. Exactly one callback follows, always with success.</summary>
internal readonly record struct IoRequest(
    IoKind Kind, int Segment, long Offset, nint Memory, int Length, DeviceIOCompletionCallback? Callback, object? Context, ReadTicket? Ticket = null, Action? Removed = null);
