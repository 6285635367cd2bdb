using System.IO.MemoryMappedFiles;
using Microsoft.Win32.SafeHandles;

namespace HybridCaching.Devices;

/// <summary>A block of memory that outlives the process: a file of the system's memory file system, mapped. A restart of the system, not the end of a process, takes it away.</summary>
/// <remarks>All of it is taken when it is made, so that nobody meets the end of what the system has while writing. What is given back has to be reserved before it is written to again. As long as somebody has it, it is locked: two processes never have the same. Linux only: elsewhere there is none.</remarks>
internal sealed unsafe class SharedMemory
{
    private const string Folder = "/dev/shm";
    private const UnixFileMode OwnerOnly = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    private readonly string _path;
    private readonly SafeFileHandle _handle;
    private readonly MemoryMappedFile _file;
    private readonly MemoryMappedViewAccessor _view;

    private SharedMemory(string path, FileStream stream)
    {
        _path = path;
        Bytes = stream.Length;
        _handle = stream.SafeFileHandle;
        _file = MemoryMappedFile.CreateFromFile(stream, mapName: null, capacity: 0, MemoryMappedFileAccess.ReadWrite, HandleInheritability.None, leaveOpen: false);
        _view = _file.CreateViewAccessor();
        byte* start = null;
        _view.SafeMemoryMappedViewHandle.AcquirePointer(ref start);
        Start = start;
    }

    /// <summary>Unmapped when nobody can be using it any more: whoever does holds a reference to this object. The file stays.</summary>
    ~SharedMemory() => _view.SafeMemoryMappedViewHandle.ReleasePointer();

    public byte* Start { get; }

    public long Bytes { get; }

    /// <summary>Makes one, filled with zeros.</summary>
    /// <exception cref="IOException">There is no room for it, or no such thing on this system.</exception>
    /// <exception cref="UnauthorizedAccessException">It may not be made.</exception>
    public static SharedMemory Create(string name, long bytes)
    {
        if (!OperatingSystem.IsLinux()) throw new IOException("this system has no memory that outlives a process");
        var options = new FileStreamOptions { Mode = FileMode.CreateNew, Access = FileAccess.ReadWrite, Share = FileShare.None, BufferSize = 0, PreallocationSize = bytes, UnixCreateMode = OwnerOnly };
        string path = PathOf(name);
        var stream = new FileStream(path, options);
        try
        {
            stream.SetLength(bytes);
            return new SharedMemory(path, stream);
        }
        catch
        {
            stream.Dispose();
            File.Delete(path);
            throw;
        }
    }

    /// <summary>Maps one that was made earlier.</summary>
    /// <exception cref="IOException">It is not there, or not what was made.</exception>
    /// <exception cref="UnauthorizedAccessException">It is somebody else's.</exception>
    public static SharedMemory Open(string name)
    {
        string path = PathOf(name);
        var file = new FileInfo(path);
        if (!OperatingSystem.IsLinux() || !file.Exists) throw new FileNotFoundException("the memory that outlives a process is gone", path);
        if (file.LinkTarget is not null || file.UnixFileMode != OwnerOnly || file.Length == 0) throw new IOException("the memory that outlives a process is another's");
        return new SharedMemory(path, new FileStream(path, new FileStreamOptions { Mode = FileMode.Open, Access = FileAccess.ReadWrite, Share = FileShare.None, BufferSize = 0 }));
    }

    /// <summary>Those of this user, as far as they can be seen, whose names begin in a way.</summary>
    public static IEnumerable<string> NamesOf(string prefix) =>
        OperatingSystem.IsLinux() && Directory.Exists(Folder) ? Directory.EnumerateFiles(Folder, prefix + "*").Select(Path.GetFileName).OfType<string>().ToList() : [];

    /// <summary>Ends the use of one, which stays. Nobody may use it any more.</summary>
    public void Close()
    {
        GC.SuppressFinalize(this);
        _view.SafeMemoryMappedViewHandle.ReleasePointer();
        _view.Dispose();
        _file.Dispose();
    }

    /// <summary>Takes its name away: the next process does not find it. Who has it goes on using it.</summary>
    public void Unlink()
    {
        try
        {
            File.Delete(_path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // What cannot be deleted there is not ours.
        }
    }

    /// <summary>What stands at the beginning of one, whoever has it; less than what is asked for if it is shorter.</summary>
    /// <exception cref="IOException">It cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">It is somebody else's.</exception>
    public static byte[] ReadStart(string name, int bytes)
    {
        using var stream = new FileStream(PathOf(name), new FileStreamOptions { Mode = FileMode.Open, Access = FileAccess.Read, Share = FileShare.ReadWrite | FileShare.Delete, BufferSize = 0 });
        byte[] start = new byte[bytes];
        return start[..stream.ReadAtLeast(start, bytes, throwOnEndOfStream: false)];
    }

    /// <summary>Takes the memory of a part from the system again that was given back.</summary>
    /// <returns>False if the system has none.</returns>
    public bool TryReserve(long offset, long bytes) => VirtualMemory.TryReserve(_handle, offset, bytes);

    /// <summary>Gives the memory of a part back to the system, as far as it is whole pages: what was there is lost, the addresses stay.</summary>
    public void Discard(nuint offset, nuint bytes) => VirtualMemory.DiscardShared(Start + offset, bytes);

    private static string PathOf(string name) => Path.Combine(Folder, Path.GetFileName(name));
}
