using System.Collections.Concurrent;
using System.Globalization;
using HybridCaching.Diagnostics;
using Microsoft.Win32.SafeHandles;

namespace HybridCaching.Devices;

/// <summary>The segment files of a cache, a handle each: <c>log-00000017</c>, and those of the main log, <c>main-00000004</c>, if there is one. Knows how many bytes they take; never has more of them than allowed.</summary>
internal sealed class SegmentFiles : IDisposable
{
    /// <summary>From here on the segments of the main log are numbered.</summary>
    public const int FirstOfMain = 1 << 30;

    private const int LeastDigits = 8;

    private readonly CacheFolder _folder;
    private readonly string _prefix;
    private readonly string? _mainPrefix;
    private readonly long _segmentBytes;
    private volatile int _maximumSegments;
    private volatile bool _isDirect;
    private readonly ConcurrentDictionary<int, SafeFileHandle> _handles = new();
    private readonly Dictionary<int, long> _lengths = [];

    /// <summary>Held while the disk is asked for a file. Comes before the other.</summary>
    private readonly Lock _opening = new();

    /// <summary>Guards what is known of the files. Never held while the disk is asked: callers of the cache take it.</summary>
    private readonly Lock _changing = new();
    private int _removedUntil;
    private int _removedUntilOfMain = FirstOfMain;
    private volatile bool _isClosed;
    private long _totalLength;
    private long _flushed;

    /// <param name="folder">Where they are.</param>
    /// <param name="prefix">What their names begin with.</param>
    /// <param name="maximumSegments">How many there may be.</param>
    /// <param name="isDirect">Whether they are used past the system's page cache, if their file system can do that: what is read and written is then whole blocks, in memory, too.</param>
    /// <param name="mainPrefix">What the names of the main log's segments begin with; null if there is none.</param>
    /// <param name="segmentBytes">How long each is going to be; 0 if that is not known.</param>
    public SegmentFiles(CacheFolder folder, string prefix, int maximumSegments, bool isDirect = false, string? mainPrefix = null, long segmentBytes = 0)
    {
        _segmentBytes = segmentBytes;
        _mainPrefix = mainPrefix;
        _isDirect = isDirect;
        _folder = folder;
        _prefix = prefix;
        _maximumSegments = maximumSegments;
        foreach (string name in folder.List())
        {
            if (TryParse(name, prefix, out int segment)) SetLength(segment, folder.LengthOf(name));
            else if (mainPrefix is not null && TryParse(name, mainPrefix, out segment)) SetLength(FirstOfMain + segment, folder.LengthOf(name));
        }
    }

    /// <summary>Whether a file is a segment of the log of that prefix, and which.</summary>
    public static bool TryParse(string name, string prefix, out int segment)
    {
        segment = 0;
        int digits = name.Length - prefix.Length - 1;
        return digits >= LeastDigits
            && name.StartsWith(prefix, StringComparison.Ordinal)
            && name[prefix.Length] == '-'
            && (digits == LeastDigits || name[prefix.Length + 1] != '0')
            && int.TryParse(name.AsSpan(prefix.Length + 1), NumberStyles.None, CultureInfo.InvariantCulture, out segment)
            && segment < FirstOfMain;
    }

    /// <summary>Whether a segment comes before another of the same log.</summary>
    public static bool IsBefore(int segment, int other) => segment < other && IsOfMain(segment) == IsOfMain(other);

    /// <summary>Where they are.</summary>
    public string Folder => _folder.Path;

    /// <summary>How many there may be. Those that are too many stay until they are removed; others are refused meanwhile.</summary>
    public int MaximumSegments
    {
        get => _maximumSegments;
        set => _maximumSegments = value;
    }

    /// <summary>How many there are.</summary>
    public int Count
    {
        get
        {
            lock (_changing) return _lengths.Count;
        }
    }

    /// <summary>Bytes of all files.</summary>
    public long TotalLength => Interlocked.Read(ref _totalLength);

    /// <summary>Whether there is a file of a segment.</summary>
    public bool Has(int segment)
    {
        lock (_changing) return _lengths.ContainsKey(segment);
    }

    /// <summary>How many files there are of segments from one to before another.</summary>
    public int CountBetween(int first, int end)
    {
        lock (_changing) return _lengths.Keys.Count(segment => segment >= first && segment < end);
    }

    /// <summary>How many times a file was brought to the disk itself.</summary>
    public long Flushed => Interlocked.Read(ref _flushed);

    /// <summary>Refuses later writes to all segments before one, of the same log.</summary>
    /// <returns>Those that are to be removed; also such whose removal has failed before.</returns>
    public List<int> GiveUpBefore(int segment)
    {
        lock (_changing)
        {
            RefuseBefore(segment);
            return [.. _lengths.Keys.Where(s => IsBefore(s, segment)).Order()];
        }
    }

    /// <summary>Whether writes to a segment are refused.</summary>
    public bool IsGivenUp(int segment)
    {
        lock (_changing) return IsRemoved(segment);
    }

    /// <summary>Writes all bytes, creating the file if need be.</summary>
    /// <exception cref="IOException">The disk refused, or the segment is removed, or one more would be too many.</exception>
    public void Write(int segment, long offset, ReadOnlySpan<byte> bytes)
    {
        FileSizeLimit.ThrowIfBeyond(offset + bytes.Length);
        var handle = Open(segment, create: true)!;
        try
        {
            RandomAccess.Write(handle, bytes, offset);
        }
        catch (IOException)
        {
            NoteLength(segment, RandomAccess.GetLength(handle)); // a disk that is full may have taken a part
            throw;
        }

        NoteLength(segment, offset + bytes.Length);
    }

    /// <summary>Reads what is there; what is not is zeros.</summary>
    /// <exception cref="IOException">The disk refused.</exception>
    public void Read(int segment, long offset, Span<byte> bytes)
    {
        if (Open(segment, create: false) is { } handle)
        {
            while (bytes.Length > 0 && RandomAccess.Read(handle, bytes, offset) is var read and > 0)
            {
                bytes = bytes[read..];
                offset += read;
            }
        }

        bytes.Clear();
    }

    /// <summary>Reads what is in memory anyway; false if the disk, or even the file, would have to be asked.</summary>
    public bool TryReadCached(int segment, long offset, Span<byte> bytes) =>
        !_isDirect && _handles.TryGetValue(segment, out var handle) && PageCache.TryRead(handle, offset, bytes);

    /// <summary>The open file of a segment that is used past the page cache; null if it is not open yet, or not used so.</summary>
    public SafeFileHandle? DirectHandleOf(int segment) => _isDirect && _handles.TryGetValue(segment, out var handle) ? handle : null;

    /// <summary>Deletes a file; later writes to it are refused.</summary>
    public void Remove(int segment)
    {
        SafeFileHandle? handle;
        lock (_changing)
        {
            RefuseBefore(segment + 1);
            _handles.TryRemove(segment, out handle);
        }

        handle?.Dispose();
        Fault.Point("segment.removing");
        _folder.Delete(FileName(segment)); // may take long, and nobody waits for it
        lock (_changing)
        {
            Interlocked.Add(ref _totalLength, -_lengths.GetValueOrDefault(segment));
            _lengths.Remove(segment);
        }
    }

    /// <summary>The length of a file; zero when there is none.</summary>
    public long LengthOf(int segment) => Open(segment, create: false) is { } handle ? RandomAccess.GetLength(handle) : 0;

    /// <summary>Brings everything written to the disk itself.</summary>
    public void FlushToDisk()
    {
        SafeFileHandle[] handles;
        lock (_changing) handles = [.. _handles.Values];
        foreach (var handle in handles)
        {
            try
            {
                RandomAccess.FlushToDisk(handle);
            }
            catch (ObjectDisposedException)
            {
                // the segment was removed meanwhile
            }

            Interlocked.Increment(ref _flushed);
        }
    }

    /// <summary>Closes the files; those in use are closed when that is over.</summary>
    public void Dispose()
    {
        SafeFileHandle[] handles;
        lock (_changing)
        {
            _isClosed = true;
            handles = [.. _handles.Values];
            _handles.Clear();
        }

        foreach (var handle in handles) handle.Dispose();
    }

    /// <summary>Removes others first that are given up and still there, if there would be one too many: who was asked to do that may come to it later. For one who opens: no other may take the place.</summary>
    private void MakePlaceFor(int segment)
    {
        while (GivenUpInPlaceOf(segment) is { } other) Remove(other);
    }

    private int? GivenUpInPlaceOf(int segment)
    {
        lock (_changing) return IsOneTooMany(segment) ? _lengths.Keys.Where(IsRemoved).Cast<int?>().Min() : null;
    }

    private bool IsOneTooMany(int segment) => _lengths.Count >= _maximumSegments && !_lengths.ContainsKey(segment);

    /// <summary>Opens a file, which may hang with the disk: for threads that may.</summary>
    private SafeFileHandle? Open(int segment, bool create)
    {
        if (_handles.TryGetValue(segment, out var handle)) return handle;
        lock (_opening)
        {
            if (_handles.TryGetValue(segment, out handle)) return handle;
            if (create) MakePlaceFor(segment);
            if (!MayOpen(segment, create)) return null;
            bool isDirect = _isDirect;
            handle = _folder.Open(FileName(segment), create, ref isDirect, _segmentBytes);
            if (handle is null) return null;
            if (TryKeep(segment, handle, isDirect)) return handle;
            handle.Dispose();
            if (!_isClosed) _folder.Delete(FileName(segment)); // removed while it was opened; once these files are closed, the name may be another's
            return create ? throw new IOException($"{FileName(segment)} was removed") : null;
        }
    }

    private bool MayOpen(int segment, bool create)
    {
        lock (_changing)
        {
            if (_isClosed) return create ? throw new IOException("the files were closed") : false;
            if (IsRemoved(segment)) return create ? throw new IOException($"{FileName(segment)} was removed") : false;
            if (create && IsOneTooMany(segment)) throw new IOException("the disk budget is used up");
            return true;
        }
    }

    private bool TryKeep(int segment, SafeFileHandle handle, bool isDirect)
    {
        long length = RandomAccess.GetLength(handle);
        lock (_changing)
        {
            if (_isClosed || IsRemoved(segment)) return false;
            _isDirect = isDirect; // one file system holds them all
            _handles[segment] = handle;
            SetLength(segment, length);
            return true;
        }
    }

    private void NoteLength(int segment, long length)
    {
        lock (_changing)
        {
            if (!IsRemoved(segment)) SetLength(segment, Math.Max(_lengths.GetValueOrDefault(segment), length));
        }
    }

    private void SetLength(int segment, long length)
    {
        Interlocked.Add(ref _totalLength, length - _lengths.GetValueOrDefault(segment));
        _lengths[segment] = length;
    }

    private static bool IsOfMain(int segment) => segment >= FirstOfMain;

    private void RefuseBefore(int segment)
    {
        ref int removedUntil = ref (IsOfMain(segment) ? ref _removedUntilOfMain : ref _removedUntil);
        removedUntil = Math.Max(removedUntil, segment);
    }

    private bool IsRemoved(int segment) => segment < (IsOfMain(segment) ? _removedUntilOfMain : _removedUntil);

    private string FileName(int segment) =>
        IsOfMain(segment) ? FormattableString.Invariant($"{_mainPrefix}-{segment - FirstOfMain:D8}") : FormattableString.Invariant($"{_prefix}-{segment:D8}");
}
