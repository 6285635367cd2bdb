using System.Diagnostics;
using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;
using Microsoft.Win32.SafeHandles;

namespace HybridCaching.Devices;

/// <summary>Files in a place where everybody may put some, on Linux: they are opened without waiting for anybody, no link is followed, and nothing is locked that is not to be. .NET locks whatever it opens, and waits for the other end of a pipe.</summary>
internal static unsafe partial class UnixFile
{
    /// <summary>O_RDWR.</summary>
    public const int ReadWrite = 2;

    private const int Creation = 0x40;
    private const int Exclusive = 0x80;
    private const int NonBlocking = 0x800;
    private const int CloseOnExec = 0x80000;

    private const int ExclusiveLock = 2;
    private const int NoLock = 8;
    private const int NonBlockingLock = 4;

    private const int EmptyPath = 0x1000;
    private const int NoFollowLink = 0x100;
    private const int CurrentFolder = -100;
    private const int BasicStatus = 0x7FF;
    private const int KindMask = 0xF000;
    private const int RegularKind = 0x8000;
    private const int PipeKind = 0x1000;
    private const int OwnerOnly = 0x180;

    /// <summary>More than struct statfs has anywhere.</summary>
    private const int FileSystemStatusBytes = 512;

    private const int Interrupted = 4;
    private const int InvalidArgument = 22;
    private const int NotSupported = 95;

    /// <summary>EAGAIN.</summary>
    public const int WouldBlock = 11;

    private static readonly int NoFollow = RuntimeInformation.ProcessArchitecture is Architecture.Arm64 or Architecture.Arm ? 0x8000 : 0x20000;

    private static readonly TimeSpan LookInterval = TimeSpan.FromMilliseconds(5);

    private static readonly nint StatusCall = RuntimeInformation.ProcessArchitecture switch
    {
        Architecture.X64 => 332,
        Architecture.Arm => 397,
        Architecture.S390x => 379,
        Architecture.X86 or Architecture.Ppc64le => 383,
        _ => 291,
    };

    /// <summary>Whether an error says that the system, or the file system, does not know what it was asked for.</summary>
    public static bool IsUnknown(int error) => error is InvalidArgument or NotSupported;

    /// <summary>Makes a file, which only its owner may use.</summary>
    /// <exception cref="IOException">It is there, or cannot be made.</exception>
    public static SafeFileHandle Create(string path) => OpenAtOnce(path, ReadWrite | Creation | Exclusive);

    /// <summary>Opens a file that is this user's alone: no link, no pipe, nobody else's, not one that others may use.</summary>
    /// <exception cref="IOException">It is none, or cannot be opened.</exception>
    public static SafeFileHandle OpenOwn(string path, bool mayWrite)
    {
        var handle = OpenAtOnce(path, mayWrite ? ReadWrite : 0);
        try
        {
            var status = StatusOf(handle);
            if (!status.IsRegular || status.Owner != GetEffectiveUser() || (status.Mode & ~KindMask) != OwnerOnly) throw new IOException($"'{path}' is another's");
            return handle;
        }
        catch
        {
            handle.Dispose();
            throw;
        }
    }

    /// <summary>Whether there is a pipe at a path: who opens it waits for the other end.</summary>
    public static bool IsPipe(string path)
    {
        if (!OperatingSystem.IsLinux()) return false;
        return TryStatusOf(path, NoFollowLink, out var status) && (status.Mode & KindMask) == PipeKind;
    }

    /// <summary>The numbers by which the system knows the device that a path lies on, with a colon between them; null where that cannot be told.</summary>
    public static string? DeviceOf(string path) =>
        OperatingSystem.IsLinux() && TryStatusOf(path, 0, out var status) ? string.Create(CultureInfo.InvariantCulture, $"{status.DeviceMajor}:{status.DeviceMinor}") : null;

    /// <summary>Whether a file still has a name.</summary>
    public static bool HasName(SafeFileHandle file) => StatusOf(file).Links > 0;

    /// <summary>Whether a file lies in memory, and goes when the system does.</summary>
    public static bool IsInMemory(SafeFileHandle file)
    {
        const uint TemporaryFiles = 0x01021994, MemoryFiles = 0x858458F6;
        nint* status = stackalloc nint[FileSystemStatusBytes / sizeof(nint)]; // struct statfs begins with the kind, in one word of the machine
        return FileSystemStatus(file, status) == 0 && (uint)*status is TemporaryFiles or MemoryFiles;
    }

    /// <summary>Locks a file for whoever has this handle, until it is unlocked, or closed and unmapped.</summary>
    /// <param name="file">Which.</param>
    /// <param name="patience">How long to wait for somebody else who has locked it.</param>
    /// <returns>False if somebody else has.</returns>
    /// <exception cref="IOException">It cannot be locked.</exception>
    public static bool TryLock(SafeFileHandle file, TimeSpan patience)
    {
        long start = Stopwatch.GetTimestamp();
        while (FileLock(file, ExclusiveLock | NonBlockingLock) != 0)
        {
            int error = Marshal.GetLastPInvokeError();
            if (error is not (WouldBlock or Interrupted)) throw ErrorOf(error);
            if (Stopwatch.GetElapsedTime(start) >= patience) return false;
            Thread.Sleep(LookInterval);
        }

        return true;
    }

    /// <summary>Unlocks a file that is locked.</summary>
    public static void Unlock(SafeFileHandle file) => FileLock(file, NoLock);

    /// <summary>What the system says went wrong.</summary>
    public static IOException ErrorOf(int error) => new(Marshal.GetPInvokeErrorMessage(error), error);

    /// <summary>Opens a file that is no link; processes that are started do not have it.</summary>
    /// <param name="path">Which.</param>
    /// <param name="flags">How, as the system says it.</param>
    /// <param name="error">Why it cannot be opened, if it cannot.</param>
    public static SafeFileHandle? TryOpen(string path, int flags, out int error)
    {
        do
        {
            int file = Open(path, flags | CloseOnExec | NoFollow, OwnerOnly);
            error = file >= 0 ? 0 : Marshal.GetLastPInvokeError();
            if (file >= 0) return new SafeFileHandle(file, ownsHandle: true);
        }
        while (error == Interrupted);

        return null;
    }

    /// <exception cref="FileNotFoundException">It is not there.</exception>
    /// <exception cref="IOException">It cannot be opened.</exception>
    private static SafeFileHandle OpenAtOnce(string path, int flags)
    {
        const int NotThere = 2;
        if (TryOpen(path, flags | NonBlocking, out int error) is { } file) return file;
        throw error == NotThere ? new FileNotFoundException(Marshal.GetPInvokeErrorMessage(error), path) : ErrorOf(error);
    }

    private static bool TryStatusOf(string path, int flags, out FileStatus status)
    {
        fixed (byte* text = Encoding.UTF8.GetBytes(path + '\0'))
        fixed (FileStatus* result = &status)
        {
            return SystemCall(StatusCall, CurrentFolder, (nint)text, flags, BasicStatus, (nint)result) == 0;
        }
    }

    private static FileStatus StatusOf(SafeFileHandle file)
    {
        FileStatus status;
        byte nothing = 0;
        bool referenced = false;
        try
        {
            file.DangerousAddRef(ref referenced);
            if (SystemCall(StatusCall, file.DangerousGetHandle(), (nint)(&nothing), EmptyPath, BasicStatus, (nint)(&status)) != 0) throw ErrorOf(Marshal.GetLastPInvokeError());
            return status;
        }
        finally
        {
            if (referenced) file.DangerousRelease();
        }
    }

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Open(string path, int flags, int mode);

    [LibraryImport("libc", EntryPoint = "flock", SetLastError = true)]
    private static partial int FileLock(SafeFileHandle file, int operation);

    [LibraryImport("libc", EntryPoint = "fstatfs", SetLastError = true)]
    private static partial int FileSystemStatus(SafeFileHandle file, nint* status);

    [LibraryImport("libc", EntryPoint = "geteuid")]
    private static partial uint GetEffectiveUser();

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    private static partial nint SystemCall(nint number, nint first, nint second, nint third, nint fourth, nint fifth);

    /// <summary>struct statx of the kernel, the same everywhere.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 256)]
    private readonly struct FileStatus
    {
        [FieldOffset(16)]
        public readonly uint Links;

        [FieldOffset(20)]
        public readonly uint Owner;

        [FieldOffset(28)]
        public readonly ushort Mode;

        [FieldOffset(136)]
        public readonly uint DeviceMajor;

        [FieldOffset(140)]
        public readonly uint DeviceMinor;

        public bool IsRegular => (Mode & KindMask) == RegularKind;
    }
}
