using HybridCaching.Diagnostics;
using Microsoft.Win32.SafeHandles;

namespace HybridCaching.Devices;

/// <summary>The folder that is one cache's alone: only its owner may enter (0700), its files are the owner's (0600), a lock keeps other caches out.</summary>
internal sealed class CacheFolder : IDisposable
{
    private const string LockName = "lock";
    private const string OwnerName = "owner";
    private const string ProbeName = "probe";
    private const int ProbeBytes = 64 << 10;
    private const int MaximumOwnerBytes = 64;
    private const UnixFileMode FolderMode = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute;
    private const UnixFileMode FileMode600 = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    /// <summary>Says which process has a folder: the number alone may be another container's.</summary>
    private static readonly string ThisProcess = Guid.NewGuid().ToString("N")[..16];

    private readonly FileStream _lock;
    private readonly byte[] _owner;
    private long _flushed;

    private CacheFolder(string path, FileStream fileLock, byte[] owner)
    {
        Path = path;
        _lock = fileLock;
        _owner = owner;
    }

    /// <summary>The full path.</summary>
    public string Path { get; }

    /// <summary>Creates the folder if need be and takes its lock.</summary>
    /// <exception cref="IOException">Another cache has it (the message names the process), a file is in its place, or the file system refuses.</exception>
    /// <exception cref="UnauthorizedAccessException">No permission.</exception>
    public static CacheFolder Open(string path)
    {
        if (FileIn(path) is { } file) throw new IOException($"'{file}' is a file, not a directory");
        if (OperatingSystem.IsWindows()) Directory.CreateDirectory(path);
        else Directory.CreateDirectory(path, FolderMode);
        RefuseLinkAndPipe(path);
        FileSizeLimit.ThrowIfBeyond(MaximumOwnerBytes);

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
            return new CacheFolder(path, fileLock, WriteOwner(path));
        }
        catch
        {
            fileLock.Dispose();
            throw;
        }
    }

    /// <summary>The part of a path where a file is in the place of a folder; null if there is none.</summary>
    private static string? FileIn(string path)
    {
        for (string? part = path; part is not null && !Directory.Exists(part); part = System.IO.Path.GetDirectoryName(part))
        {
            if (File.Exists(part)) return part;
        }

        return null;
    }

    /// <summary>Whether the path still leads to this folder: somebody may have deleted it, put another in its place, or mounted something over it. Files that are open would not notice.</summary>
    /// <exception cref="IOException">The disk refused.</exception>
    /// <exception cref="UnauthorizedAccessException">The disk refused.</exception>
    public bool IsStillThere()
    {
        try
        {
            Span<byte> owner = stackalloc byte[MaximumOwnerBytes];
            return owner[..ReadOwnerFile(Path, owner)].SequenceEqual(_owner);
        }
        catch (Exception e) when (e is FileNotFoundException or DirectoryNotFoundException)
        {
            return false;
        }
    }

    /// <summary>Makes a file, brings it to the disk, reads it and deletes it: whether files can be used here. May take long.</summary>
    /// <exception cref="IOException">They cannot.</exception>
    /// <exception cref="UnauthorizedAccessException">They cannot.</exception>
    public void Probe()
    {
        FileSizeLimit.ThrowIfBeyond(ProbeBytes);
        byte[] written = new byte[ProbeBytes], read = new byte[ProbeBytes];
        Random.Shared.NextBytes(written);
        try
        {
            using var stream = OpenStream(PathOf(ProbeName), FileMode.Create, FileShare.None);
            stream.Write(written);
            stream.Flush(flushToDisk: true);
            stream.Position = 0;
            stream.ReadAtLeast(read, read.Length, throwOnEndOfStream: false);
        }
        finally
        {
            DeleteProbe();
        }

        if (!written.AsSpan().SequenceEqual(read)) throw new IOException("what is read is not what was written");
    }

    /// <summary>Opens a file, through the system's page cache.</summary>
    /// <inheritdoc cref="Open(string, bool, ref bool, long)"/>
    public SafeFileHandle? Open(string name, bool create)
    {
        bool isDirect = false;
        return Open(name, create, ref isDirect);
    }

    /// <summary>Opens a file for reading and writing at positions; null when it is not there and <paramref name="create"/> is false.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="create">Whether to create it.</param>
    /// <param name="isDirect">Whether to use it past the system's page cache; afterwards whether it is, which not every file system can do.</param>
    /// <param name="reserved">So many bytes it is going to have: they are reserved when it is created, if they are to be had. XFS would otherwise reserve more and more beyond the end of what is written.</param>
    public SafeFileHandle? Open(string name, bool create, ref bool isDirect, long reserved = 0)
    {
        string path = PathOf(name);
        bool isNew = !File.Exists(path);
        if (!create && isNew) return null;
        RefuseLinkAndPipe(path);
        var handle = isNew && reserved > 0 && FileSizeLimit.Allows(reserved) ? TryCreate(path, reserved) : null;
        handle ??= File.OpenHandle(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.Read, FileOptions.RandomAccess);
        if (isNew && !OperatingSystem.IsWindows()) File.SetUnixFileMode(handle, FileMode600);
        if (!isDirect) return handle;
        try
        {
            if (DirectFile.TryOpen(path) is { } direct)
            {
                handle.Dispose();
                return direct;
            }
        }
        catch
        {
            handle.Dispose();
            if (isNew) File.Delete(path);
            throw;
        }

        isDirect = false;
        return handle;
    }

    /// <returns>Null if so much is not to be had.</returns>
    private static SafeFileHandle? TryCreate(string path, long reserved)
    {
        try
        {
            return File.OpenHandle(path, FileMode.CreateNew, FileAccess.ReadWrite, FileShare.Read, FileOptions.RandomAccess, reserved);
        }
        catch (IOException)
        {
            return null;
        }
    }

    /// <summary>Puts a whole file in place: written beside, brought to the disk, then renamed over the old one.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="bytes">How long it will be at most: what is longer than the process may write would end it.</param>
    /// <param name="write">Writes it.</param>
    /// <param name="mayCommit">Asked right before the renaming whether it is still wanted; null for yes.</param>
    /// <returns>Whether it was put in place.</returns>
    public bool Replace(string name, long bytes, Action<Stream> write, Func<bool>? mayCommit = null)
    {
        FileSizeLimit.ThrowIfBeyond(bytes);
        string temporary = PathOf(name + ".tmp");
        using (var stream = OpenStream(temporary, FileMode.Create, FileShare.None, reserved: bytes))
        {
            var parts = new FlushedStream(stream, () => Interlocked.Increment(ref _flushed));
            write(parts);
            parts.Flush();
        }

        Fault.Point("file.written");
        if (mayCommit?.Invoke() == false) return false;
        File.Move(temporary, PathOf(name), overwrite: true);
        Fault.Point("file.renamed");
        return true;
    }

    /// <summary>Changes whenever a part of a file that <see cref="Replace"/> writes is on the disk.</summary>
    public long Flushed => Interlocked.Read(ref _flushed);

    /// <summary>The content of a small file; null when it is not there or longer than <paramref name="maximumBytes"/>.</summary>
    public byte[]? ReadAll(string name, long maximumBytes) => ReadAll(Path, name, maximumBytes);

    /// <summary>The same of a folder that may be another cache's, or not be there.</summary>
    public static byte[]? ReadAll(string folder, string name, long maximumBytes)
    {
        using var stream = OpenIfThere(System.IO.Path.Combine(folder, name), FileAccess.Read);
        if (stream is null || stream.Length > maximumBytes) return null;
        byte[] bytes = new byte[stream.Length];
        stream.ReadExactly(bytes);
        return bytes;
    }

    /// <summary>A file to be read from its beginning.</summary>
    /// <exception cref="IOException">It is not there, or cannot be read.</exception>
    public Stream OpenToRead(string name) => OpenStream(PathOf(name), FileMode.Open, FileShare.Read);

    /// <summary>Deletes a file, if it is there.</summary>
    /// <exception cref="IOException">It cannot be deleted.</exception>
    /// <exception cref="UnauthorizedAccessException">It cannot be deleted.</exception>
    public void Delete(string name)
    {
        try
        {
            File.Delete(PathOf(name));
        }
        catch (DirectoryNotFoundException)
        {
            // Somebody has deleted the folder.
        }
    }

    /// <summary>Puts a file aside, empties it, brings that to the disk and deletes it: a renaming or a deletion alone may be undone by a loss of power, and nobody shall see it empty under its name.</summary>
    /// <exception cref="IOException">It cannot be emptied or deleted.</exception>
    /// <exception cref="UnauthorizedAccessException">It cannot be emptied or deleted.</exception>
    public void DeleteForGood(string name)
    {
        using (var stream = OpenIfThere(PathOf(name), FileAccess.ReadWrite))
        {
            if (stream is null) return;
            File.Move(PathOf(name), PathOf(name + ".tmp"), overwrite: true);
            Fault.Point("file.put-aside");
            stream.SetLength(0);
            stream.Flush(flushToDisk: true);
        }

        Fault.Point("file.emptied");
        Delete(name + ".tmp");
    }

    /// <summary>The names of all files but the lock's and what a probe may have left.</summary>
    public IEnumerable<string> List() =>
        Directory.EnumerateFileSystemEntries(Path).Select(System.IO.Path.GetFileName).OfType<string>().Where(n => n is not (LockName or OwnerName or ProbeName));

    /// <summary>Bytes of one file; zero when it is not there.</summary>
    public long LengthOf(string name) => new FileInfo(PathOf(name)) is { Exists: true } file ? file.Length : 0;

    /// <summary>Gives the folder free. The files stay.</summary>
    public void Dispose() => _lock.Dispose();

    /// <summary>ERROR_SHARING_VIOLATION on Windows, EWOULDBLOCK on Linux and macOS.</summary>
    private static bool IsSharingViolation(IOException e) => e.HResult is unchecked((int)0x80070020) or 11 or 35;

    private string PathOf(string name) => System.IO.Path.Combine(Path, name);

    /// <summary>Whoever could put a link here could make the cache overwrite a file elsewhere, and with a pipe wait for ever.</summary>
    private static void RefuseLinkAndPipe(string path)
    {
        if (new FileInfo(path).LinkTarget is { } target) throw new IOException($"'{path}' is a symbolic link to '{target}', which is not followed");
        if (UnixFile.IsPipe(path)) throw new IOException($"'{path}' is a pipe");
    }

    private static FileStream OpenStream(string path, FileMode mode, FileShare share, long reserved = 0)
    {
        RefuseLinkAndPipe(path);
        var options = new FileStreamOptions { Mode = mode, Access = FileAccess.ReadWrite, Share = share, BufferSize = 0, PreallocationSize = reserved };
        if (!OperatingSystem.IsWindows() && mode != FileMode.Open) options.UnixCreateMode = FileMode600;
        return new FileStream(path, options);
    }

    /// <summary>Null if a file is not there. That cannot be asked otherwise: of a file on a disk that fails it is said that there is none.</summary>
    private static FileStream? OpenIfThere(string path, FileAccess access)
    {
        RefuseLinkAndPipe(path);
        try
        {
            return new FileStream(path, FileMode.Open, access, FileShare.ReadWrite | FileShare.Delete, bufferSize: 0);
        }
        catch (Exception e) when (e is FileNotFoundException or DirectoryNotFoundException)
        {
            return null;
        }
    }

    /// <summary>The lock cannot be read while it is held, so who holds it stands beside it. In the place of who held it before: on a full disk there is no other.</summary>
    /// <returns>What stands there: the process, and a word that nobody else has.</returns>
    private static byte[] WriteOwner(string path)
    {
        byte[] owner = new byte[MaximumOwnerBytes];
        System.Text.Encoding.ASCII.GetBytes(FormattableString.Invariant($"{Environment.ProcessId}\n{ThisProcess}{Guid.NewGuid():N}\n"), owner);
        using var stream = OpenStream(System.IO.Path.Combine(path, OwnerName), FileMode.OpenOrCreate, FileShare.Read);
        stream.Write(owner);
        stream.SetLength(owner.Length);
        return owner;
    }

    private static int ReadOwnerFile(string path, Span<byte> owner)
    {
        using var stream = OpenIfThere(System.IO.Path.Combine(path, OwnerName), FileAccess.Read) ?? throw new FileNotFoundException(null, OwnerName);
        return stream.ReadAtLeast(owner, owner.Length, throwOnEndOfStream: false);
    }

    private void DeleteProbe()
    {
        try
        {
            Delete(ProbeName);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // The next one will overwrite it.
        }
    }

    /// <summary>Every container has a first process.</summary>
    private static string OwnerOf(int pid, bool isThisProcess) =>
        isThisProcess ? $"another cache of this process {pid}; two caches in one directory need two names" : pid == Environment.ProcessId ? $"process {pid} of another container" : $"process {pid}";

    private static string ReadOwner(string path)
    {
        try
        {
            Span<byte> text = stackalloc byte[MaximumOwnerBytes];
            var owner = text[..ReadOwnerFile(path, text)];
            int end = Math.Max(0, owner.IndexOf((byte)'\n'));
            return int.TryParse(owner[..end], out int pid) ? OwnerOf(pid, owner[(end + 1)..].StartsWith(System.Text.Encoding.ASCII.GetBytes(ThisProcess))) : "another process";
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return "another process";
        }
    }
}
