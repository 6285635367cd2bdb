using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace HybridCaching.Devices;

/// <summary>Linux's io_uring for one read at a time: one system call hands it in and waits for it, where <see cref="AioQueue"/> takes two.</summary>
/// <remarks>
/// For who waits on his thread only. The answer is posted by the thread that handed the read in, which is woken for that wherever it waits: for those who do not wait themselves AIO is better, which posts it from the disk's interrupt.
/// It has no finalizer. Asked for by <see cref="Switch"/>: measured, it is no faster than AIO, and many systems do not allow it (Docker's default profile, <c>kernel.io_uring_disabled</c>). See io_uring_enter(2).
/// </remarks>
internal sealed unsafe partial class IoUring : IReadSlot
{
    /// <summary>The switch of <see cref="AppContext"/> that asks for it.</summary>
    public const string Switch = "HybridCaching.UseIoUring";

    private const int SetUp = 425;
    private const int Enter = 426;
    private const int Register = 427;

    /// <summary>IORING_OP_READ, and IORING_OP_READ_FIXED for memory that the kernel knows.</summary>
    private const byte Read = 22;
    private const byte ReadRegistered = 4;

    /// <summary>ECANCELED: the thread that handed it in has ended before a thread of the kernel's began with it.</summary>
    private const int Cancelled = 125;

    private const uint WaitForResults = 1;
    private const uint HasArgument = 8;

    /// <summary>IORING_FEAT_SINGLE_MMAP and IORING_FEAT_EXT_ARG, which lets a wait end with the time: Linux 5.11.</summary>
    private const uint NeededFeatures = 1 | (1 << 8);

    /// <summary>Where the kernel maps the entry that says what to read.</summary>
    private const nint EntryOffset = 0x10000000;

    private readonly SafeFileHandle _ring;
    private readonly byte* _queues;
    private readonly nuint _queueBytes;
    private readonly Submission* _entry;
    private readonly uint* _handedIn;
    private readonly uint* _accepted;
    private readonly uint* _posted;
    private readonly uint* _taken;
    private readonly Completion* _completions;
    private readonly uint _completionMask;
    private byte* _memory;
    private bool _isRegistered;

    /// <summary>Whether the file system does not know <see cref="AioQueue.NoWait"/>.</summary>
    private bool _mustWait;

    private IoUring(SafeFileHandle ring, in Parameters parameters, byte* queues, Submission* entry)
    {
        _ring = ring;
        _queues = queues;
        _queueBytes = parameters.QueueBytes;
        _entry = entry;
        _accepted = (uint*)(queues + parameters.SubmissionHead);
        _handedIn = (uint*)(queues + parameters.SubmissionTail);
        _taken = (uint*)(queues + parameters.CompletionHead);
        _posted = (uint*)(queues + parameters.CompletionTail);
        _completions = (Completion*)(queues + parameters.Completions);
        _completionMask = *(uint*)(queues + parameters.CompletionMask);
    }

    /// <summary>Whether <see cref="Switch"/> is on.</summary>
    public static bool IsWanted => AppContext.TryGetSwitch(Switch, out bool isOn) && isOn;

    /// <summary>Makes one; null where the system has no such calls, or does not allow them.</summary>
    public static IoUring? TryCreate()
    {
        if (!OperatingSystem.IsLinux() || RuntimeInformation.ProcessArchitecture is not (Architecture.X64 or Architecture.Arm64)) return null;
        try
        {
            var parameters = default(Parameters);
            nint number = SystemCall(SetUp, 1, (nint)(&parameters), 0, 0, 0, 0);
            if (number < 0) return null;
            var ring = new SafeFileHandle(number, ownsHandle: true);
            byte* queues = null;
            if ((parameters.Features & NeededFeatures) == NeededFeatures && (queues = VirtualMemory.TryMapShared(ring, parameters.QueueBytes, 0)) is not null)
            {
                byte* entry = VirtualMemory.TryMapShared(ring, (nuint)sizeof(Submission), EntryOffset);
                if (entry is not null) return new IoUring(ring, parameters, queues, (Submission*)entry);
                VirtualMemory.Unmap(queues, parameters.QueueBytes);
            }

            ring.Dispose();
            return null;
        }
        catch (Exception e) when (e is EntryPointNotFoundException or DllNotFoundException)
        {
            return null;
        }
    }

    /// <inheritdoc/>
    public bool TryRead(RecordRead read, TimeSpan timeout, out long? result)
    {
        result = null;
        uint before = *_handedIn;
        bool referenced = false;
        try
        {
            read.File!.DangerousAddRef(ref referenced);
            RegisterMemory(read);
            *_entry = new Submission
            {
                Operation = _isRegistered ? ReadRegistered : Read,
                File = (int)read.File.DangerousGetHandle(),
                Offset = read.Offset,
                Memory = (ulong)read.Memory,
                Bytes = (uint)read.Length,
                Flags = _mustWait ? 0 : AioQueue.NoWait,
            };
            Volatile.Write(ref *_handedIn, before + 1);
            bool hasEnded = TryTake(timeout, out long bytes);
            if (Volatile.Read(ref *_accepted) == before)
            {
                *_handedIn = before; // the kernel had no memory for it
                return false;
            }

            if (hasEnded) result = bytes;
            return true;
        }
        catch (ObjectDisposedException)
        {
            return false; // the segment was removed in between
        }
        finally
        {
            if (referenced) read.File!.DangerousRelease();
        }
    }

    /// <inheritdoc/>
    public bool TryTake(out long result) => TryTake(TimeSpan.Zero, out result);

    /// <inheritdoc/>
    public void Destroy()
    {
        VirtualMemory.Unmap((byte*)_entry, (nuint)sizeof(Submission));
        VirtualMemory.Unmap(_queues, _queueBytes);
        _ring.Dispose();
    }

    /// <summary>Has the kernel keep hold of a reader's buffer, which saves looking it up for each read; where it may not, it looks it up.</summary>
    private void RegisterMemory(RecordRead read)
    {
        if (_memory == read.Memory) return;
        _memory = read.Memory;
        var vector = new MemoryVector { Start = read.Memory, Bytes = (nuint)read.MemoryBytes };
        _isRegistered = SystemCall(Register, _ring.DangerousGetHandle(), 0, (nint)(&vector), 1, 0, 0) == 0;
    }

    /// <summary>Waits for the read that was handed in, and hands it in if the kernel has not seen it.</summary>
    private bool TryTake(TimeSpan timeout, out long result)
    {
        var wait = new KernelTimeout(timeout);
        var argument = default(WaitArgument);
        argument.Time = wait.IsEndless ? null : (long*)&wait;
        do
        {
            uint unseen = *_handedIn - Volatile.Read(ref *_accepted);
            SystemCall(Enter, _ring.DangerousGetHandle(), (nint)unseen, 1, (nint)(WaitForResults | HasArgument), (nint)(&argument), sizeof(WaitArgument));
            if (TryTakePosted(out result)) return true;
        }
        while (Volatile.Read(ref *_accepted) == *_handedIn && wait.TryGoOn()); // a signal has come
        return false;
    }

    /// <summary>Whether a read was refused for how it was asked for; the next is asked for in another way.</summary>
    private bool IsRefusedAsAsked(int error)
    {
        if (!UnixFile.IsUnknown(error) || (_mustWait && !_isRegistered)) return false;
        if (_isRegistered) _isRegistered = false;
        else _mustWait = true;
        return true;
    }

    private bool TryTakePosted(out long result)
    {
        uint taken = *_taken;
        result = 0;
        if (Volatile.Read(ref *_posted) == taken) return false;
        result = _completions[taken & _completionMask].Result;
        Volatile.Write(ref *_taken, taken + 1);
        if (result is -Cancelled || (result < 0 && IsRefusedAsAsked((int)-result))) result = ReadResult.WouldWait;
        return true;
    }

    [LibraryImport("libc", EntryPoint = "syscall")]
    private static partial nint SystemCall(nint number, nint first, nint second, nint third, nint fourth, nint fifth, nint sixth);

    /// <summary>struct io_uring_params, with the offsets of what is in the memory that the kernel shares.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 120)]
    private struct Parameters
    {
        [FieldOffset(0)]
        public uint SubmissionCount;

        [FieldOffset(4)]
        public uint CompletionCount;

        [FieldOffset(20)]
        public uint Features;

        [FieldOffset(40)]
        public uint SubmissionHead;

        [FieldOffset(44)]
        public uint SubmissionTail;

        [FieldOffset(64)]
        public uint Submissions;

        [FieldOffset(80)]
        public uint CompletionHead;

        [FieldOffset(84)]
        public uint CompletionTail;

        [FieldOffset(88)]
        public uint CompletionMask;

        [FieldOffset(100)]
        public uint Completions;

        public readonly nuint QueueBytes => Math.Max(Submissions + (SubmissionCount * sizeof(uint)), Completions + (CompletionCount * (uint)sizeof(Completion)));
    }

    /// <summary>struct io_uring_sqe.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 64)]
    private struct Submission
    {
        [FieldOffset(0)]
        public byte Operation;

        [FieldOffset(4)]
        public int File;

        [FieldOffset(8)]
        public long Offset;

        [FieldOffset(16)]
        public ulong Memory;

        [FieldOffset(24)]
        public uint Bytes;

        [FieldOffset(28)]
        public uint Flags;
    }

    /// <summary>struct io_uring_cqe.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 16)]
    private struct Completion
    {
        [FieldOffset(8)]
        public int Result;
    }

    /// <summary>struct io_uring_getevents_arg, without a mask of signals.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 24)]
    private struct WaitArgument
    {
        [FieldOffset(16)]
        public long* Time;
    }

    /// <summary>struct iovec.</summary>
    private struct MemoryVector
    {
        public byte* Start;
        public nuint Bytes;
    }
}
