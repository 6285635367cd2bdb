using System.Runtime.InteropServices;

namespace HybridCaching.Devices;

/// <summary>A queue of reads that the kernel carries out by itself: Linux's native AIO (io_submit, io_getevents) by raw system calls, x64 and arm64.</summary>
/// <remarks>
/// It has no finalizer, and is not to be destroyed while a read is under way: the system would wait for the disk. Who hands in, and who takes results, are one thread at a time each, for each slot and for the queue. Docker's default profile
/// allows these calls, and refuses io_uring.
/// </remarks>
internal sealed unsafe partial class AioQueue : IReadSlot
{
    /// <summary>RWF_NOWAIT: whoever hands a read in does not wait for a lock of the file, or where the file lies on the disk. For a free request of the block layer ext4 and XFS make him wait all the same: <see cref="KernelReads.Expect"/>.</summary>
    public const uint NoWait = 8;

    private const ushort PRead = 0;

    private static readonly bool IsArm = RuntimeInformation.ProcessArchitecture == Architecture.Arm64;
    private static readonly int SetUp = IsArm ? 0 : 206;
    private static readonly int TearDown = IsArm ? 1 : 207;
    private static readonly int Submission = IsArm ? 2 : 209;
    private static readonly int GetEvents = IsArm ? 4 : 208;

    private readonly nint _context;
    private readonly NativeBlock _blocks;

    /// <summary>Whether the system, or the file system, does not know <see cref="NoWait"/>.</summary>
    private volatile bool _mustWait;

    private AioQueue(nint context, int depth)
    {
        _context = context;
        _blocks = new NativeBlock((nuint)(depth * sizeof(ControlBlock)), isCleared: true);
    }

    /// <summary>Makes one; null where the system has no such calls, or does not allow them, or no more of them.</summary>
    /// <param name="depth">How many reads may be under way.</param>
    public static AioQueue? TryCreate(int depth)
    {
        if (!OperatingSystem.IsLinux() || RuntimeInformation.ProcessArchitecture is not (Architecture.X64 or Architecture.Arm64)) return null;
        try
        {
            nint context = 0;
            return SystemCall(SetUp, depth, (nint)(&context), 0, 0, 0) == 0 ? new AioQueue(context, depth) : null;
        }
        catch (Exception e) when (e is EntryPointNotFoundException or DllNotFoundException)
        {
            return null;
        }
    }

    /// <summary>Hands a read in; it may have ended when this returns.</summary>
    /// <param name="slot">A number below the depth that no read under way has.</param>
    /// <param name="read">Says what is read, of which file, and where it goes. Has to be kept alive until the read has ended.</param>
    /// <returns>False if the kernel refuses, or the file is closed. True also if the result is going to be <see cref="ReadResult.WouldWait"/>.</returns>
    public bool TrySubmit(int slot, RecordRead read) => Submit(new ReadOnlySpan<int>(in slot), new ReadOnlySpan<RecordRead>(in read)) == 1;

    /// <summary>Hands reads in together, which costs less than one after the other; some may have ended when this returns.</summary>
    /// <param name="slots">As many numbers below the depth that no reads under way have.</param>
    /// <param name="reads">Say what is read, of which files, and where it goes. Have to be kept alive until the reads have ended, and as they are until this returns.</param>
    /// <returns>How many, from the first one on: the kernel refuses the next, or its file is closed.</returns>
    public int Submit(ReadOnlySpan<int> slots, ReadOnlySpan<RecordRead> reads)
    {
        var first = stackalloc ControlBlock*[reads.Length];
        int ready = 0;
        int taken = 0;
        try
        {
            for (; ready < reads.Length; ready++)
            {
                var (read, slot) = (reads[ready], slots[ready]);
                bool referenced = false;
                read.File!.DangerousAddRef(ref referenced);
                first[ready] = (ControlBlock*)_blocks.Start + slot;
                *first[ready] = new ControlBlock { Data = (ulong)slot, Operation = PRead, Flags = _mustWait ? 0 : NoWait, File = (uint)read.File.DangerousGetHandle(), Memory = (ulong)read.Memory, Bytes = (ulong)read.Length, Offset = read.Offset };
            }
        }
        catch (ObjectDisposedException)
        {
            // The segment was removed in between.
        }

        while (taken < ready)
        {
            nint count = SystemCall(Submission, _context, ready - taken, (nint)(first + taken), 0, 0);
            if (count > 0) taken += (int)count;
            else if (count == 0 || first[taken]->Flags == 0 || !UnixFile.IsUnknown(Marshal.GetLastPInvokeError())) break;
            else WaitFromNowOn(first + taken, ready - taken);
        }

        foreach (var read in reads[..ready]) read.File!.DangerousRelease();
        GC.KeepAlive(this);
        return taken;
    }

    private void WaitFromNowOn(ControlBlock** blocks, int count)
    {
        _mustWait = true;
        for (int i = 0; i < count; i++) blocks[i]->Flags = 0;
    }

    /// <summary>Takes the results of reads that have ended, and waits for one if there is none.</summary>
    /// <returns>How many; 0 when the time is over.</returns>
    public int Take(Span<ReadResult> results, TimeSpan timeout)
    {
        var wait = new KernelTimeout(timeout);
        fixed (ReadResult* first = results)
        {
            nint count;
            do count = SystemCall(GetEvents, _context, 1, results.Length, (nint)first, wait.IsEndless ? 0 : (nint)(&wait));
            while (count < 0 && wait.TryGoOn()); // a signal has come
            return Math.Max(0, (int)count);
        }
    }

    /// <inheritdoc/>
    public bool TryRead(RecordRead read, TimeSpan timeout, out long? result)
    {
        result = null;
        if (!TrySubmit(0, read)) return false;
        if (TryTake(timeout, out long bytes)) result = bytes;
        return true;
    }

    /// <inheritdoc/>
    public bool TryTake(out long result) => TryTake(TimeSpan.Zero, out result);

    private bool TryTake(TimeSpan timeout, out long bytes)
    {
        var result = default(ReadResult);
        bool hasEnded = Take(new Span<ReadResult>(ref result), timeout) == 1;
        bytes = result.Bytes;
        return hasEnded;
    }

    /// <summary>Ends it. No read may be under way, and nobody may use it any more.</summary>
    public void Destroy() => SystemCall(TearDown, _context, 0, 0, 0, 0);

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    private static partial nint SystemCall(nint number, nint first, nint second, nint third, nint fourth, nint fifth);

    /// <summary>struct iocb of the kernel, little-endian.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 64)]
    private struct ControlBlock
    {
        [FieldOffset(0)]
        public ulong Data;

        [FieldOffset(12)]
        public uint Flags;

        [FieldOffset(16)]
        public ushort Operation;

        [FieldOffset(20)]
        public uint File;

        [FieldOffset(24)]
        public ulong Memory;

        [FieldOffset(32)]
        public ulong Bytes;

        [FieldOffset(40)]
        public long Offset;
    }
}
