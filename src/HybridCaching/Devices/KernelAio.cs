using System.Numerics;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace HybridCaching.Devices;

/// <summary>
/// Reads of the disk that the kernel carries out by itself: the caller's thread hands them in, one thread takes the results. Linux's native AIO (io_submit, io_getevents) by raw system calls, x64 and arm64; for files past the page
/// cache only, since the kernel reads others within io_submit.
/// </summary>
/// <remarks>Compared with threads that read, a read needs one change of threads instead of two, and no queue. Docker's default profile allows these calls, and refuses io_uring.</remarks>
internal sealed unsafe partial class KernelAio : IDisposable
{
    private const int MostEvents = 64;
    private const ushort PRead = 0;

    private static readonly bool IsArm = RuntimeInformation.ProcessArchitecture == Architecture.Arm64;
    private static readonly int SetUp = IsArm ? 0 : 206;
    private static readonly int Destroy = IsArm ? 1 : 207;
    private static readonly int Submit = IsArm ? 2 : 209;
    private static readonly int GetEvents = IsArm ? 4 : 208;
    private static readonly TimeSpan StopLookInterval = TimeSpan.FromMilliseconds(200);

    private readonly nint _context;
    private readonly Action<RecordRead, long> _ended;
    private readonly RecordRead?[] _reads;
    private readonly NativeBlock _blocks;
    private readonly Thread _reaper;
    private long _free;
    private long _posted;
    private long _endedCount;
    private volatile bool _stop;

    private KernelAio(string name, nint context, int depth, Action<RecordRead, long> ended)
    {
        _context = context;
        _ended = ended;
        _reads = new RecordRead?[depth];
        _blocks = new NativeBlock((nuint)(depth * sizeof(ControlBlock)), isCleared: true);
        _free = depth == 64 ? -1 : (1L << depth) - 1;
        _reaper = new Thread(Reap) { IsBackground = true, Name = name };
        _reaper.UnsafeStart();
    }

    /// <summary>How many reads have ended.</summary>
    public long Ended => Interlocked.Read(ref _endedCount);

    /// <summary>Whether there are reads that have not ended.</summary>
    public bool IsBusy => Interlocked.Read(ref _posted) > Ended;

    /// <summary>Begins; null where the system has no such calls or does not allow them.</summary>
    /// <param name="name">Names the thread.</param>
    /// <param name="depth">How many reads may be under way, at most 64.</param>
    /// <param name="ended">Called for each read on our thread, with the number of bytes read or a negative error number. Must not throw or wait.</param>
    public static KernelAio? TryCreate(string name, int depth, Action<RecordRead, long> ended)
    {
        if (!OperatingSystem.IsLinux() || RuntimeInformation.ProcessArchitecture is not (Architecture.X64 or Architecture.Arm64)) return null;
        try
        {
            nint context = 0;
            return SystemCall(SetUp, depth, (nint)(&context), 0, 0, 0) == 0 ? new KernelAio(name, context, depth, ended) : null;
        }
        catch (Exception e) when (e is EntryPointNotFoundException or DllNotFoundException)
        {
            return null;
        }
    }

    /// <summary>Hands a read in; false if that cannot be: too many are under way, or the kernel refuses.</summary>
    public bool TryRead(SafeFileHandle file, RecordRead read)
    {
        int slot = TakeSlot();
        if (slot < 0) return false;
        bool referenced = false;
        try
        {
            file.DangerousAddRef(ref referenced);
            _reads[slot] = read;
            var block = (ControlBlock*)_blocks.Start + slot;
            *block = new ControlBlock { Data = (ulong)slot, Operation = PRead, File = (uint)file.DangerousGetHandle(), Memory = (ulong)read.Memory, Bytes = (ulong)read.Length, Offset = read.Offset };
            Interlocked.Increment(ref _posted);
            if (SystemCall(Submit, _context, 1, (nint)(&block), 0, 0) == 1) return true; // the read may have ended already
            Interlocked.Decrement(ref _posted);
        }
        catch (ObjectDisposedException)
        {
            // the segment was removed in between
        }
        finally
        {
            if (referenced) file.DangerousRelease();
        }

        _reads[slot] = null;
        Interlocked.Or(ref _free, 1L << slot);
        return false;
    }

    /// <summary>Waits for all reads and ends.</summary>
    public void Dispose()
    {
        if (_stop) return;
        _stop = true;
        _reaper.Join();
        SystemCall(Destroy, _context, 0, 0, 0, 0);
        GC.KeepAlive(_blocks);
    }

    private int TakeSlot()
    {
        while (true)
        {
            long free = Volatile.Read(ref _free);
            if (free == 0) return -1;
            long rest = free & (free - 1);
            if (Interlocked.CompareExchange(ref _free, rest, free) == free) return BitOperations.TrailingZeroCount(free);
        }
    }

    private void Reap()
    {
        var events = stackalloc Event[MostEvents];
        var wait = stackalloc long[2];
        (wait[0], wait[1]) = (0, (long)StopLookInterval.TotalNanoseconds);
        while (!_stop || IsBusy)
        {
            long count = SystemCall(GetEvents, _context, 1, MostEvents, (nint)events, (nint)wait);
            for (int i = 0; i < count; i++)
            {
                int slot = (int)events[i].Data;
                var read = _reads[slot]!;
                _reads[slot] = null;
                Interlocked.Or(ref _free, 1L << slot);
                Interlocked.Increment(ref _endedCount);
                _ended(read, events[i].Result);
            }
        }
    }

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = false)]
    private static partial nint SystemCall(nint number, nint first, nint second, nint third, nint fourth, nint fifth);

    /// <summary>struct iocb of the kernel, little-endian.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 64)]
    private struct ControlBlock
    {
        [FieldOffset(0)]
        public ulong Data;

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

    /// <summary>struct io_event of the kernel.</summary>
    [StructLayout(LayoutKind.Sequential)]
    private struct Event
    {
        public ulong Data;
        public ulong Block;
        public long Result;
        public long Result2;
    }
}
