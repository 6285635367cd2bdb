using System.Runtime.InteropServices;

namespace HybridCaching.Devices;

/// <summary>What the kernel says of a read that has ended: its struct io_event.</summary>
[StructLayout(LayoutKind.Explicit, Size = 32)]
internal struct ReadResult
{
    /// <summary>What a read results in that would have to wait before it begins, as a negative error number: EAGAIN.</summary>
    public const long WouldWait = -UnixFile.WouldBlock;

    /// <summary>Which of the reads of a queue it was.</summary>
    [FieldOffset(0)]
    public ulong Slot;

    /// <summary>How many bytes were read, or a negative error number.</summary>
    [FieldOffset(16)]
    public long Bytes;
}
