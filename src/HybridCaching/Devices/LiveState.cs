using System.Runtime.InteropServices;
using System.Text;
using HybridCaching.Configuration;

namespace HybridCaching.Devices;

/// <summary>What leads to the records on the disk, as it is at this moment: the tables of settled records, where their logs begin and end, the checksums of all blocks. In memory that outlives the process, where the system has it.</summary>
/// <remarks>
/// <code>
/// ┌───────────────────┬───────────────────┬──────────────────┬───────────────────────────┬───────┐
/// │ name, sizes, its  │ a number for each │ checksums of a   │ tables of settled records │ notes │
/// │ folder, begins    │ slot: its segment │ segment per slot │                           │       │
/// │ and ends, time    │                   │                  │                           │       │
/// └───────────────────┴───────────────────┴──────────────────┴───────────────────────────┴───────┘
///  one page
/// </code>
/// It is changed a word at a time, and right after each of these words: whoever finds it after a sudden end of the process finds what was true then. See docs/concurrency.md, "After a sudden end".
/// </remarks>
internal sealed unsafe class LiveState
{
    /// <summary>How the names of such states begin.</summary>
    private const string NamePrefix = "hybridcaching-";

    private const ulong Magic = 0x3445_5641_4C43_4248;
    private const int HeaderBytes = 4096;
    private const int NameOffset = 16;
    private const int SizesOffset = 32;
    private const int ExtentsOffset = 64;
    private const int LatestOffset = 96;
    private const int OutdatedOffset = 104;
    private const int LayoutsOffset = 128;
    private const int FolderOffset = 192;

    /// <summary>Slots beyond those of the segments there may be: for a while the checksums of one that is gone are still asked for.</summary>
    private const int SpareSlots = 4;

    /// <summary>No cache has more.</summary>
    private const int MostSlots = 1 << 20;

    /// <summary>Nobody who is at work takes that long between making one and saying what it is.</summary>
    private static readonly TimeSpan LongestBeginning = TimeSpan.FromMinutes(1);

    private static int _isLooking;

    private readonly NativeBlock? _own;
    private readonly SharedMemory? _shared;
    private readonly byte* _start;
    private readonly long _tablesOffset;
    private readonly long _notesOffset;
    private readonly long _sumsOffset;

    private readonly Sizes _sizes;

    private LiveState(Sizes sizes, Guid name, SharedMemory? shared)
    {
        Name = name;
        _sizes = sizes;
        _sumsOffset = SumsOffsetOf(sizes);
        _tablesOffset = TablesOffsetOf(sizes);
        _notesOffset = NotesOffsetOf(sizes);
        _shared = shared;
        if (shared is not null)
        {
            _start = shared.Start;
            return;
        }

        _own = new NativeBlock((nuint)BytesOf(sizes), isCleared: false, MemoryPlan.BlockBytes);
        _start = _own.Start;
        NativeMemory.Clear(_start, (nuint)_tablesOffset); // the tables are not touched before they are used
        NativeMemory.Clear(_start + _notesOffset, (nuint)(BytesOf(sizes) - _notesOffset));
    }

    /// <summary>Bytes of a segment of the log.</summary>
    public long SegmentBytes => _sizes.SegmentBytes;

    /// <summary>So many segments can have their checksums here.</summary>
    public int Slots => (int)_sizes.Slots;

    /// <summary>How many segments there may be, so that each has a slot.</summary>
    public int Segments => Slots - SpareSlots;

    /// <summary>Bytes of addresses for the tables of settled records.</summary>
    public long TableBytes => _sizes.TableBytes;

    public long NoteBytes => _sizes.NoteBytes;

    /// <summary>Bytes of all checksums there is room for.</summary>
    public long ChecksumBytes => _sizes.Slots * (SegmentBytes / MemoryPlan.BlockBytes) * sizeof(uint);

    /// <summary>What it is found by.</summary>
    public Guid Name { get; }

    /// <summary>Whether it outlives the process.</summary>
    public bool IsShared => _shared is not null;

    /// <summary>Begin and end of what is on probation, then of the main log.</summary>
    public long* Extents => (long*)(_start + ExtentsOffset);

    /// <summary>The latest moment that the cache has known, in ticks of UTC.</summary>
    public ref long LatestTicks => ref *(long*)(_start + LatestOffset);

    /// <summary>A checkpoint that counts no more, although it may still be there: what it describes has changed.</summary>
    public Guid OutdatedCheckpoint
    {
        get => MemoryMarshal.Read<Guid>(Header(OutdatedOffset, sizeof(Guid)));
        set => MemoryMarshal.Write(Header(OutdatedOffset, sizeof(Guid)), in value);
    }

    /// <summary>How far each table of settled records has grown.</summary>
    public ulong* Layouts => (ulong*)(_start + LayoutsOffset);

    /// <summary>The number of the segment whose checksums are in each slot, and one; 0 for none.</summary>
    public int* Owners => (int*)(_start + HeaderBytes);

    /// <summary>The tables of settled records.</summary>
    public byte* Tables => _start + _tablesOffset;

    /// <summary>Where <see cref="LiveNotes"/> are.</summary>
    public byte* Notes => _start + _notesOffset;

    /// <summary>The checksums in a slot.</summary>
    public uint* SumsOf(int slot) => (uint*)(_start + _sumsOffset) + (slot * (SegmentBytes / MemoryPlan.BlockBytes));

    /// <summary>Makes an empty one that ends with the process.</summary>
    /// <param name="segmentBytes">Bytes of a segment.</param>
    /// <param name="segments">How many there may be.</param>
    /// <param name="tableBytes">Bytes of addresses for the tables of settled records.</param>
    /// <param name="noteBytes">Bytes for notes.</param>
    public static LiveState Create(long segmentBytes, int segments, long tableBytes, long noteBytes = 0) => new(new Sizes(segmentBytes, segments + SpareSlots, tableBytes, noteBytes), default, shared: null);

    /// <summary>Makes an empty one that outlives the process, if that can be done.</summary>
    /// <param name="folder">The folder of the records.</param>
    /// <param name="segmentBytes">Bytes of a segment.</param>
    /// <param name="segments">How many there may be.</param>
    /// <param name="tables">The tables of settled records: what they may take now is reserved at once, not their other addresses.</param>
    /// <param name="noteBytes">Bytes for notes.</param>
    /// <param name="problem">Why it ends with the process.</param>
    public static LiveState CreateShared(string folder, long segmentBytes, int segments, IEnumerable<TableSize> tables, long noteBytes, out string? problem)
    {
        var sizes = new Sizes(segmentBytes, segments + SpareSlots, tables.Sum(static t => t.ReservedBytes), noteBytes);
        var name = Guid.NewGuid();
        var shared = Try(() => SharedMemory.Create(FileNameOf(name), BytesOf(sizes), [.. InUse(sizes, tables)]), out problem);
        var state = new LiveState(sizes, name, shared);
        if (shared is null) return state;
        Encoding.UTF8.TryGetBytes(folder, state.Header(FolderOffset, HeaderBytes - FolderOffset - 1), out _);
        MemoryMarshal.Write(state.Header(NameOffset, sizeof(Guid)), in name);
        MemoryMarshal.Write(state.Header(SizesOffset, sizeof(Sizes)), in sizes);
        MemoryMarshal.Write(state.Header(0, sizeof(ulong)), Magic);
        return state;
    }

    /// <summary>Finds one that another process has left.</summary>
    /// <param name="name">Which.</param>
    /// <param name="segmentBytes">Bytes of a segment.</param>
    /// <param name="tableBytes">Bytes of addresses for the tables of settled records.</param>
    /// <param name="noteBytes">Bytes for notes.</param>
    /// <param name="problem">Why there is none.</param>
    public static LiveState? TryOpen(Guid name, long segmentBytes, long tableBytes, long noteBytes, out string? problem)
    {
        if (Try(() => SharedMemory.Open(FileNameOf(name)), out problem) is not { } shared) return null;
        var header = HeaderOf(new ReadOnlySpan<byte>(shared.Start, (int)Math.Min(shared.Bytes, HeaderBytes)));
        if (!header.IsEmpty && MemoryMarshal.Read<Guid>(header[NameOffset..]) == name)
        {
            var sizes = MemoryMarshal.Read<Sizes>(header[SizesOffset..]);
            bool isIt = sizes is { Slots: > 0 and < MostSlots } && (sizes.SegmentBytes, sizes.TableBytes, sizes.NoteBytes) == (segmentBytes, tableBytes, noteBytes) && BytesOf(sizes) == shared.Bytes;
            if (isIt) return new LiveState(sizes, name, shared);
            if (sizes == default) problem = "what leads to its records was given up";
        }

        shared.Close();
        problem ??= "the memory that outlives a process is another cache's";
        return null;
    }

    /// <summary>Whether a checkpoint counts no more by what a process has left. It counts if that is not there, or still in use: then the folder that leads to it is a copy, in which nothing has changed. It does not if that cannot be read.</summary>
    public static bool IsOutdated(Guid checkpoint, Guid name)
    {
        try
        {
            var header = HeaderOf(SharedMemory.ReadStartOfLeft(FileNameOf(name), HeaderBytes));
            return !header.IsEmpty && MemoryMarshal.Read<Guid>(header[NameOffset..]) == name && MemoryMarshal.Read<Guid>(header[OutdatedOffset..]) == checkpoint;
        }
        catch (Exception e) when (e is FileNotFoundException or EntryPointNotFoundException or DllNotFoundException)
        {
            return false;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return true;
        }
    }

    /// <summary>Takes one away, unless somebody uses it.</summary>
    public static void Delete(Guid name) => TryDelete(FileNameOf(name));

    /// <summary>Takes away what processes have left that did not close their caches, and whose folders are gone since: nobody else would. What is in use is left alone, and so is the first page of what speaks of a checkpoint that counts no more: the folder may be on a disk that comes back.</summary>
    /// <param name="isFolderOf">Whether a folder is still the one of a name.</param>
    public static void DeleteLeft(Func<string, Guid, bool> isFolderOf)
    {
        foreach (string file in SharedMemory.NamesOf(NamePrefix))
        {
            if (Try(() => SharedMemory.ReadStart(file, HeaderBytes), out _) is not { } start) continue;
            if (SharedMemory.IsUnfinished(file) || IsNotFinished(start))
            {
                if (SharedMemory.AgeOf(file) > LongestBeginning) TryDelete(file);
                continue;
            }

            var header = HeaderOf(start);
            if (header.IsEmpty) continue;
            var folder = header[FolderOffset..];
            var name = MemoryMarshal.Read<Guid>(header[NameOffset..]);
            if (isFolderOf(Encoding.UTF8.GetString(folder[..folder.IndexOf((byte)0)]), name)) continue;
            Try(file, static file => SharedMemory.Delete(file, SpeaksOfACheckpoint)); // only now: while its folder was looked for, its process may have gone on, and ended
            TryCut(file);
        }
    }

    /// <summary>The same, by a thread of its own, which is not waited for without end: a folder may be on a disk that hangs. While one still looks, no other begins.</summary>
    /// <param name="isFolderOf">Whether a folder is still the one of a name.</param>
    /// <param name="patience">How long to wait.</param>
    public static void DeleteLeft(Func<string, Guid, bool> isFolderOf, TimeSpan patience)
    {
        if (Interlocked.Exchange(ref _isLooking, 1) != 0) return;
        var thread = new Thread(() =>
        {
            try
            {
                DeleteLeft(isFolderOf);
            }
            catch (Exception)
            {
                // Whatever it is: nobody else would catch it, and the next one to start looks again.
            }
            finally
            {
                Volatile.Write(ref _isLooking, 0);
            }
        })
        {
            IsBackground = true,
            Name = "hybridcaching-left",
        };
        thread.UnsafeStart();
        thread.Join(patience);
    }

    /// <summary>Whether the next process can find it, if it is to outlive this one.</summary>
    public bool HasName => _shared?.HasName != false;

    /// <summary>From now on it is this process's alone, and ends with it. Only what it says of a checkpoint that counts no more stays, for that may still be there.</summary>
    public void Forgo()
    {
        if (_shared is null) return;
        MemoryMarshal.Write(Header(SizesOffset, sizeof(Sizes)), default(Sizes)); // it leads nowhere from now on
        if (OutdatedCheckpoint == default) Delete();
        else _shared.Unlink(kept: HeaderBytes);
    }

    /// <summary>The same, once there is no checkpoint that counts no more.</summary>
    public void Delete() => _shared?.Unlink();

    /// <summary>The cache was closed: from now on the next one may have it, in this process, too. Who has not noticed, though nobody should be left, finds nothing there, and what he stores goes nowhere.</summary>
    public void Release() => _shared?.Release();

    /// <summary>A part of the tables is used from now on, all of it.</summary>
    public void UseTables(long offset, long bytes) => _own?.Use((nuint)(_tablesOffset + offset), (nuint)bytes);

    /// <summary>Gives the memory of a part of the tables back to the system: what was there is lost, the addresses stay.</summary>
    public void DiscardTables(long offset, long bytes)
    {
        if (_shared is { } shared) shared.Discard((nuint)(_tablesOffset + offset), (nuint)bytes);
        else _own!.Discard((nuint)(_tablesOffset + offset), (nuint)bytes);
    }

    /// <summary>Takes memory for a part of the tables again that was given back.</summary>
    /// <returns>False if the system has none.</returns>
    public bool TryReserveTables(long offset, long bytes) => _shared?.TryReserve(_tablesOffset + offset, bytes) ?? true;

    private static string FileNameOf(Guid name) => $"{NamePrefix}{name:N}";

    /// <summary>The first page; empty if it is not one of these states.</summary>
    private static ReadOnlySpan<byte> HeaderOf(ReadOnlySpan<byte> start) =>
        start.Length >= HeaderBytes && MemoryMarshal.Read<ulong>(start) == Magic && start[HeaderBytes - 1] == 0 ? start[..HeaderBytes] : [];

    /// <summary>Whether whoever began it has not come to say what it is: that is done last.</summary>
    private static bool IsNotFinished(ReadOnlySpan<byte> start) => start.Length < sizeof(ulong) || MemoryMarshal.Read<ulong>(start) == 0;

    private static bool SpeaksOfACheckpoint(string file) => HeaderOf(SharedMemory.ReadStart(file, HeaderBytes)) is { IsEmpty: false } header && MemoryMarshal.Read<Guid>(header[OutdatedOffset..]) != default;

    private static void TryDelete(string file) => Try(file, static file => SharedMemory.Delete(file));

    /// <summary>Takes all of one that is there away but the first page, which leads nowhere from then on.</summary>
    private static void TryCut(string file) => Try(file, static file => SharedMemory.Cut(file, HeaderBytes, SizesOffset, sizeof(Sizes)));

    private static void Try(string file, Action<string> change) => Try(
        () =>
        {
            change(file);
            return file;
        },
        out _);

    private static T? Try<T>(Func<T> share, out string? problem)
        where T : class
    {
        problem = null;
        try
        {
            return share();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or EntryPointNotFoundException or DllNotFoundException)
        {
            problem = e.Message.TrimEnd('.');
            return null;
        }
    }

    private static IEnumerable<(long Offset, long Bytes)> InUse(Sizes sizes, IEnumerable<TableSize> tables)
    {
        long offset = TablesOffsetOf(sizes);
        yield return (0, offset);
        foreach (var table in tables)
        {
            yield return (offset, table.Bytes);
            offset += table.ReservedBytes;
        }

        yield return (NotesOffsetOf(sizes), BytesOf(sizes) - NotesOffsetOf(sizes));
    }

    private static long SumsOffsetOf(Sizes sizes) => HeaderBytes + RoundUp(sizes.Slots * sizeof(int));

    private static long TablesOffsetOf(Sizes sizes) => SumsOffsetOf(sizes) + RoundUp(sizes.Slots * (sizes.SegmentBytes / MemoryPlan.BlockBytes) * sizeof(uint));

    private static long NotesOffsetOf(Sizes sizes) => TablesOffsetOf(sizes) + RoundUp(sizes.TableBytes);

    private static long BytesOf(Sizes sizes) => NotesOffsetOf(sizes) + RoundUp(sizes.NoteBytes);

    private static long RoundUp(long bytes) => (bytes + HeaderBytes - 1) / HeaderBytes * HeaderBytes;

    private Span<byte> Header(int offset, int bytes) => new(_start + offset, bytes);

    private readonly record struct Sizes(long SegmentBytes, long Slots, long TableBytes, long NoteBytes);
}
