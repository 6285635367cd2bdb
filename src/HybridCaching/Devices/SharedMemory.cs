using Microsoft.Win32.SafeHandles;

namespace HybridCaching.Devices;

/// <summary>A block of memory that outlives the process: a file of the system's memory file system, mapped. A restart of the system, not the end of a process, takes it away.</summary>
/// <remarks>
/// A part has to be reserved before it is written to, so that nobody meets the end of what the system has while writing; so has what was given back. As long as somebody has it, it is locked: two never have the same.
/// Everybody may put files where it is: only such count that are this user's alone. Linux only: elsewhere there is none.
/// </remarks>
internal sealed unsafe class SharedMemory
{
    private const string Folder = "/dev/shm";

    /// <summary>Ends the name of what is not yet in its place.</summary>
    private const string UnfinishedSuffix = ".tmp";

    /// <summary>How long to wait for somebody who has it for a moment: who looks whether it can be deleted, or a process that is just ending.</summary>
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(1);

    /// <summary>How long to wait for a process that is just being forked from one that has ended its use.</summary>
    private static readonly TimeSpan ForkPatience = TimeSpan.FromMilliseconds(100);

    private readonly string _path;
    private readonly SafeFileHandle _file;

    /// <summary>Guards what comes after <see cref="Release"/>.</summary>
    private readonly Lock _releasing = new();
    private bool _isReleased;

    private SharedMemory(string path, SafeFileHandle file, long bytes)
    {
        _path = path;
        _file = file;
        Start = VirtualMemory.MapShared(file, bytes);
        Bytes = bytes;
    }

    /// <summary>Unmapped when nobody can be using it any more: whoever does holds a reference to this object. The file stays.</summary>
    ~SharedMemory() => Unmap();

    public byte* Start { get; }

    public long Bytes { get; }

    /// <summary>Makes one, filled with zeros.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="bytes">How long it is.</param>
    /// <param name="reserved">The parts that are reserved at once.</param>
    /// <exception cref="IOException">There is no room for it, or no such thing on this system.</exception>
    public static SharedMemory Create(string name, long bytes, params ReadOnlySpan<(long Offset, long Bytes)> reserved)
    {
        ThrowUnlessThereIsAny();
        FileSizeLimit.ThrowIfBeyond(bytes);
        string path = PathOf(name);
        var file = UnixFile.Create(path);
        try
        {
            ThrowUnlessInMemory(file);
            LockOrThrow(file);
            RandomAccess.SetLength(file, bytes);
            foreach (var part in reserved)
            {
                if (part.Bytes > 0 && VirtualMemory.Reserve(file, part.Offset, part.Bytes) is not 0 and var error) throw UnixFile.ErrorOf(error);
            }

            return new SharedMemory(path, file, bytes);
        }
        catch
        {
            file.Dispose();
            File.Delete(path);
            throw;
        }
    }

    /// <summary>Maps one that was made earlier.</summary>
    /// <exception cref="IOException">It is not there, or not what was made, or somebody else's, or in use.</exception>
    public static SharedMemory Open(string name)
    {
        ThrowUnlessThereIsAny();
        string path = PathOf(name);
        var file = OpenOwn(path, mayWrite: true);
        try
        {
            ThrowUnlessInMemory(file);
            LockOrThrow(file);
            if (!UnixFile.HasName(file)) throw Gone();
            long bytes = RandomAccess.GetLength(file);
            return bytes > 0 ? new SharedMemory(path, file, bytes) : throw new IOException("the memory that outlives a process is empty");
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    /// <summary>Takes one away, unless somebody uses it.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="mustStay">Asked at the last moment, when nobody can change it any more; null if it need not stay.</param>
    /// <exception cref="IOException">It is not there, or somebody else's, or cannot be deleted.</exception>
    /// <exception cref="UnauthorizedAccessException">It cannot be deleted.</exception>
    public static void Delete(string name, Func<string, bool>? mustStay = null)
    {
        if (!OperatingSystem.IsLinux()) return;
        string path = PathOf(name);
        using var file = OpenOwn(path, mayWrite: true);
        if (UnixFile.TryLock(file, TimeSpan.Zero) && mustStay?.Invoke(name) != true) File.Delete(path);
    }

    /// <summary>Takes away all of one but its beginning, of which a part becomes zeros, unless somebody uses it.</summary>
    /// <exception cref="IOException">It is not there, or somebody else's, or cannot be changed.</exception>
    /// <exception cref="UnauthorizedAccessException">It cannot be changed.</exception>
    public static void Cut(string name, int kept, int zerosAt, int zeros)
    {
        using var file = OpenOwn(PathOf(name), mayWrite: true);
        if (RandomAccess.GetLength(file) <= kept || !UnixFile.TryLock(file, TimeSpan.Zero)) return;
        RandomAccess.Write(file, new byte[zeros], zerosAt);
        RandomAccess.SetLength(file, kept);
    }

    /// <summary>Those whose names begin in a way, whosoever they are.</summary>
    /// <exception cref="IOException">That cannot be seen.</exception>
    /// <exception cref="UnauthorizedAccessException">That cannot be seen.</exception>
    public static IEnumerable<string> NamesOf(string prefix) =>
        OperatingSystem.IsLinux() && Directory.Exists(Folder) ? Directory.EnumerateFiles(Folder, prefix + "*").Select(Path.GetFileName).OfType<string>().ToList() : [];

    /// <summary>Whether somebody was, or still is, about to put this in another's place.</summary>
    public static bool IsUnfinished(string name) => name.EndsWith(UnfinishedSuffix, StringComparison.Ordinal);

    /// <summary>What stands at the beginning of one, whether somebody uses it or not; less than what is asked for if it is shorter. Nobody notices.</summary>
    /// <exception cref="IOException">It cannot be read, or is somebody else's.</exception>
    public static byte[] ReadStart(string name, int bytes)
    {
        using var file = OpenOwn(PathOf(name), mayWrite: false);
        return ReadStart(file, bytes);
    }

    /// <summary>The same of one that nobody uses; nothing if somebody does, or has just taken it away.</summary>
    /// <exception cref="IOException">It cannot be read, or is somebody else's.</exception>
    public static byte[] ReadStartOfLeft(string name, int bytes)
    {
        using var file = OpenOwn(PathOf(name), mayWrite: false);
        return UnixFile.TryLock(file, ForkPatience) && UnixFile.HasName(file) ? ReadStart(file, bytes) : [];
    }

    /// <summary>How long ago one was made.</summary>
    public static TimeSpan AgeOf(string name) => TimeProvider.System.GetUtcNow() - File.GetLastWriteTimeUtc(PathOf(name));

    /// <summary>Ends the use of one, which stays. Nobody may use it any more.</summary>
    public void Close()
    {
        GC.SuppressFinalize(this);
        Unmap();
        _file.Dispose();
    }

    /// <summary>
    /// Ends the use of one, which stays: from now on another may have it. Who has not noticed goes on with zeros that are his alone, and what he stores goes nowhere: not one of his words comes into what is another's now.
    /// </summary>
    public void Release()
    {
        lock (_releasing)
        {
            if (_isReleased || !VirtualMemory.TryReplace(Start, (nuint)Bytes)) return; // without the memory for that, it stays as it is until nobody can be using it
            _isReleased = true;
            UnixFile.Unlock(_file); // whoever is being forked may still have the file for a moment
            _file.Dispose();
        }
    }

    /// <summary>Takes its name away: the next process does not find it. Who has it goes on using it.</summary>
    /// <param name="kept">So much of its beginning stays under the name, for whoever comes next; nobody uses that.</param>
    public void Unlink(int kept = 0)
    {
        lock (_releasing)
        {
            if (_isReleased) return; // it may be another's
            try
            {
                if (kept == 0) File.Delete(_path);
                else ReplaceByStart(kept);
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                // What cannot be deleted there is not ours; and without room for what is to stay, all stays.
            }
        }
    }

    /// <summary>Whether the next process can find it: whoever may, may have deleted its name.</summary>
    public bool HasName
    {
        get
        {
            lock (_releasing) return _isReleased || UnixFile.HasName(_file);
        }
    }

    /// <summary>Takes the memory of a part from the system again that was given back.</summary>
    /// <returns>False if the system has none.</returns>
    public bool TryReserve(long offset, long bytes)
    {
        lock (_releasing) return !_isReleased && VirtualMemory.Reserve(_file, offset, bytes) == 0;
    }

    /// <summary>Gives the memory of a part back to the system, as far as it is whole pages: what was there is lost, the addresses stay.</summary>
    public void Discard(nuint offset, nuint bytes) => VirtualMemory.DiscardShared(Start + offset, bytes);

    private void ReplaceByStart(int bytes)
    {
        string unfinished = _path + UnfinishedSuffix;
        File.Delete(unfinished);
        using (var file = UnixFile.Create(unfinished)) RandomAccess.Write(file, new ReadOnlySpan<byte>(Start, bytes), 0);
        File.Move(unfinished, _path, overwrite: true);
    }

    private static byte[] ReadStart(SafeFileHandle file, int bytes)
    {
        byte[] start = new byte[bytes];
        return start[..RandomAccess.Read(file, start, 0)];
    }

    private static string PathOf(string name) => Path.Combine(Folder, Path.GetFileName(name));

    private static FileNotFoundException Gone() => new("the memory that outlives a process is gone");

    private static SafeFileHandle OpenOwn(string path, bool mayWrite)
    {
        try
        {
            return UnixFile.OpenOwn(path, mayWrite);
        }
        catch (FileNotFoundException)
        {
            throw Gone();
        }
    }

    private static void LockOrThrow(SafeFileHandle file)
    {
        if (!UnixFile.TryLock(file, Patience)) throw new IOException("the memory that outlives a process is in use");
    }

    private static void ThrowUnlessThereIsAny()
    {
        if (!OperatingSystem.IsLinux()) throw new IOException("this system has no memory that outlives a process");
    }

    /// <summary>What lies on a disk in that place, such as a volume, comes back after a loss of power as it was some time before, and part by part: what was removed since would be found again.</summary>
    private static void ThrowUnlessInMemory(SafeFileHandle file)
    {
        if (!UnixFile.IsInMemory(file)) throw new IOException($"{Folder} is not memory here, but on a disk");
    }

    private void Unmap()
    {
        if (Start != null) VirtualMemory.Unmap(Start, (nuint)Bytes);
    }
}
