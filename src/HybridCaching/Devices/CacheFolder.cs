using Microsoft.Win32.SafeHandles;

namespace HybridCaching.Devices;

/// <summary>The folder that is one cache's alone: only its owner may enter (0700), its files are the owner's (0600), a lock keeps other caches out.</summary>
internal sealed class CacheFolder : IDisposable
{
    private const string LockName = "lock";
    private const string OwnerName = "owner";
    private const UnixFileMode FolderMode = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute;
    private const UnixFileMode FileMode600 = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    private readonly FileStream _lock;

    private CacheFolder(string path, FileStream fileLock)
    {
        Path = path;
        _lock = fileLock;
    }

    /// <summary>The full path.</summary>
    public string Path { get; }

    /// <summary>Creates the folder if need be and takes its lock.</summary>
    /// <exception cref="IOException">Another cache has it (the message names the process), a file is in its place, or the file system refuses.</exception>
    /// <exception cref="UnauthorizedAccessException">No permission.</exception>
    public static CacheFolder Open(string path)
    {
        if (File.Exists(path)) throw new IOException($"'{path}' is a file, not a directory");
        if (OperatingSystem.IsWindows()) Directory.CreateDirectory(path);
        else Directory.CreateDirectory(path, FolderMode);
        RefuseLink(path);

        FileStream fileLock;
        try
        {
            fileLock = OpenStream(System.IO.Path.Combine(path, LockName), FileMode.OpenOrCreate, FileShare.None);
        }
        catch (IOException e) when (IsSharingViolation(e))
        {
            throw new IOException($"'{path}' is in use by {ReadOwner(path)}");
        }

        try
        {
            if (!OperatingSystem.IsWindows()) File.SetUnixFileMode(path, FolderMode);
            WriteOwner(path, fileLock);
            return new CacheFolder(path, fileLock);
        }
        catch
        {
            fileLock.Dispose();
            throw;
        }
    }

    /// <summary>Opens a file, through the system's page cache.</summary>
    /// <inheritdoc cref="Open(string, bool, ref bool)"/>
    public SafeFileHandle? Open(string name, bool create)
    {
        bool isDirect = false;
        return Open(name, create, ref isDirect);
    }

    /// <summary>Opens a file for reading and writing at positions; null when it is not there and <paramref name="create"/> is false.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="create">Whether to create it.</param>
    /// <param name="isDirect">Whether to use it past the system's page cache; afterwards whether it is, which not every file system can do.</param>
    public SafeFileHandle? Open(string name, bool create, ref bool isDirect)
    {
        string path = PathOf(name);
        bool isNew = !File.Exists(path);
        if (!create && isNew) return null;
        RefuseLink(path);
        var handle = File.OpenHandle(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.Read, FileOptions.RandomAccess);
        if (isNew && !OperatingSystem.IsWindows()) File.SetUnixFileMode(handle, FileMode600);
        if (!isDirect) return handle;
        var direct = DirectFile.TryOpen(path);
        isDirect = direct is not null;
        if (isDirect) handle.Dispose();
        return direct ?? handle;
    }

    /// <summary>Puts a whole file in place: written beside, brought to the disk, then renamed over the old one.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="write">Writes it.</param>
    /// <param name="mayCommit">Asked right before the renaming whether it is still wanted; null for yes.</param>
    /// <returns>Whether it was put in place.</returns>
    public bool Replace(string name, Action<Stream> write, Func<bool>? mayCommit = null)
    {
        string temporary = PathOf(name + ".tmp");
        using (var stream = OpenStream(temporary, FileMode.Create, FileShare.None))
        {
            write(stream);
            stream.Flush(flushToDisk: true);
        }

        if (mayCommit?.Invoke() == false) return false;
        File.Move(temporary, PathOf(name), overwrite: true);
        return true;
    }

    /// <summary>The content of a small file; null when it is not there or longer than <paramref name="maximumBytes"/>.</summary>
    public byte[]? ReadAll(string name, long maximumBytes)
    {
        RefuseLink(PathOf(name));
        var file = new FileInfo(PathOf(name));
        return file.Exists && file.Length <= maximumBytes ? File.ReadAllBytes(file.FullName) : null;
    }

    /// <summary>A file to be read from its beginning.</summary>
    /// <exception cref="IOException">It is not there, or cannot be read.</exception>
    public Stream OpenToRead(string name) => OpenStream(PathOf(name), FileMode.Open, FileShare.Read);

    public void Delete(string name) => File.Delete(PathOf(name));

    /// <summary>The names of all files but the lock's.</summary>
    public IEnumerable<string> List() =>
        Directory.EnumerateFileSystemEntries(Path).Select(System.IO.Path.GetFileName).OfType<string>().Where(n => n is not (LockName or OwnerName));

    /// <summary>Bytes of one file; zero when it is not there.</summary>
    public long LengthOf(string name) => new FileInfo(PathOf(name)) is { Exists: true } file ? file.Length : 0;

    /// <summary>Gives the folder free. The files stay.</summary>
    public void Dispose() => _lock.Dispose();

    /// <summary>ERROR_SHARING_VIOLATION on Windows, EWOULDBLOCK on Linux and macOS.</summary>
    private static bool IsSharingViolation(IOException e) => e.HResult is unchecked((int)0x80070020) or 11 or 35;

    private string PathOf(string name) => System.IO.Path.Combine(Path, name);

    /// <summary>Whoever could put a link here could make the cache overwrite a file elsewhere.</summary>
    private static void RefuseLink(string path)
    {
        if (new FileInfo(path).LinkTarget is { } target) throw new IOException($"'{path}' is a symbolic link to '{target}', which is not followed");
    }

    private static FileStream OpenStream(string path, FileMode mode, FileShare share)
    {
        RefuseLink(path);
        var options = new FileStreamOptions { Mode = mode, Access = FileAccess.ReadWrite, Share = share, BufferSize = 0 };
        if (!OperatingSystem.IsWindows() && mode != FileMode.Open) options.UnixCreateMode = FileMode600;
        return new FileStream(path, options);
    }

    /// <summary>The lock cannot be read while it is held, so who holds it stands beside it as well.</summary>
    private static void WriteOwner(string path, FileStream fileLock)
    {
        byte[] owner = System.Text.Encoding.ASCII.GetBytes(FormattableString.Invariant($"{Environment.ProcessId}\n"));
        fileLock.SetLength(0);
        fileLock.Write(owner);
        fileLock.Flush(flushToDisk: false);
        using var stream = OpenStream(System.IO.Path.Combine(path, OwnerName), FileMode.Create, FileShare.Read);
        stream.Write(owner);
    }

    private static string OwnerOf(int pid) =>
        pid == Environment.ProcessId ? $"another cache of this process {pid}; two caches in one directory need two names" : $"process {pid}";

    private static string ReadOwner(string path)
    {
        try
        {
            using var stream = new FileStream(System.IO.Path.Combine(path, OwnerName), FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
            Span<byte> text = stackalloc byte[20];
            int length = stream.ReadAtLeast(text, text.Length, throwOnEndOfStream: false);
            return int.TryParse(text[..length].Trim("\n"u8), out int pid) ? OwnerOf(pid) : "another process";
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return "another process";
        }
    }
}
