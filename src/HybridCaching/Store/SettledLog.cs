using System.Runtime.InteropServices;
using FASTER.core;
using HybridCaching.Configuration;
using HybridCaching.Devices;
using HybridCaching.Diagnostics;

namespace HybridCaching.Store;

/// <summary>All that FASTER's log has let go and the disk still holds: its older segments, as they are, on probation; and the main log, for records that were read there.</summary>
/// <remarks>
/// <code>
///        probation                FASTER's log                              main log
/// ┌─────────────────────────┬──────────────────────┐    ┌────────────────────────────┐
/// │ log-00000017 ...        │ on disk   in memory  │    │ main-00000003 ...          │
/// └─────────────────────────┴──────────────────────┘    └────────────────────────────┘
///  ProbationBegin            its BeginAddress            MainBegin            MainTail
/// </code>
/// All of it is on the disk only and never changed in place; one <see cref="SettledIndex"/> says where the records are that count. The main log is appended to by one thread, in segments of the same device,
/// numbered from <see cref="SegmentFiles.FirstOfMain"/> on. Its records are those of FASTER's log without the links of its chains. They are collected in a buffer and written as whole blocks, and only when
/// they are on the disk does the index lead to them: nobody ever reads what is still in the buffer. No record lies across two pages; behind the last record of a write the next begins in another block.
/// Reading is for everybody; all else for one caller at a time.
/// </remarks>
internal sealed unsafe class SettledLog
{
    private const int RecordHeaderBytes = 8;

    /// <summary>How often a look-up goes through the index while records are moved away under it.</summary>
    private const int MostRounds = 3;

    private static readonly TimeSpan LookInterval = TimeSpan.FromMilliseconds(20);

    private readonly LogDevice _device;
    private readonly Func<long> _admissionBegin;
    private readonly Func<long> _admissionExcess;
    private readonly long _segmentBytes;
    private readonly int _pageBytes;
    private readonly long _mostLength;
    private volatile int _mostSegments;
    private readonly int _bufferBytes;
    private readonly NativeBlock _buffer;
    private readonly ManualResetEventSlim _written = new();
    private readonly bool _mayWithhold;
    private int _filled;

    /// <param name="plan">Its sizes.</param>
    /// <param name="device">Where it is.</param>
    /// <param name="admissionBegin">Where FASTER's log begins.</param>
    /// <param name="admissionExcess">How much longer than planned FASTER's log may be for now; less than zero for what it lends.</param>
    public SettledLog(MemoryPlan plan, LogDevice device, Func<long> admissionBegin, Func<long> admissionExcess)
    {
        _admissionExcess = admissionExcess;
        _device = device;
        _mayWithhold = device.Budget is not null;
        _admissionBegin = admissionBegin;
        _segmentBytes = plan.SegmentBytes;
        _pageBytes = plan.MainPageBytes;
        _mostLength = SettledSizing.MostDiskBytes(plan.AddressBits);
        Resize(plan);
        _bufferBytes = plan.MoveBytes;
        _buffer = new NativeBlock((nuint)_bufferBytes, isCleared: true, MemoryPlan.BlockBytes);
        Index = new SettledIndex(plan.SettledTables, SegmentFiles.FirstOfMain * plan.SegmentBytes, device.State, firstGroups: 1, plan.AddressBits);
    }

    public SettledIndex Index { get; }

    /// <summary>Allows so many segments as another plan says. What is too much by that is dropped by others.</summary>
    public void Resize(MemoryPlan plan) => _mostSegments = plan.SettledSegments - 1; // one may still be on its way to be removed

    /// <summary>Where the oldest record on probation lies.</summary>
    public long ProbationBegin => Index.Probation.Begin;

    /// <summary>Where the oldest record of the main log lies.</summary>
    public long MainBegin => Index.Main.Begin;

    /// <summary>Where the next record of the main log will lie at the earliest.</summary>
    public long MainTail => Index.Main.Tail;

    /// <summary>How many more segments there may be.</summary>
    public int FreeSegments => _mostSegments - (int)(SegmentsOnProbation + SegmentsBetween(MainBegin, MainTail) + (long)Math.Ceiling(_admissionExcess() / (double)_segmentBytes));

    /// <summary>Where the oldest segment on probation ends; none is there if that is beyond FASTER's begin.</summary>
    public long EndOfOldestProbation => EndOfSegment(ProbationBegin);

    /// <summary>Where the oldest segment of the main log ends, or, if there is only one, the log.</summary>
    public long EndOfOldestMain => Math.Min(MainTail, EndOfSegment(MainBegin));

    /// <summary>Whether an address is one of the main log.</summary>
    public bool IsMain(long address) => address >= Index.FirstOfMain;

    /// <summary>Whether an address leads to what was not dropped.</summary>
    public bool Holds(long address) => Index.IsInUse(address);

    /// <summary>The same, unless what lies there is known to be lost: nobody may find it again in a copy.</summary>
    public bool HoldsReadable(long address) => Holds(address) && _device.AreWritten(address, address + SettledIndex.AddressUnit);

    /// <summary>Lets a trail lead to the next record that may be the key's.</summary>
    /// <returns>False if there is none.</returns>
    public bool TryNext(ref DiskTrail trail)
    {
        if (Index.IsEmpty) return false;
        if (trail.Place == 0) trail.View = Index.ViewOf(trail.Hash);
        while (!Index.TryNext(trail.Hash, ref trail.Place, out trail.Address))
        {
            long view = Index.ViewOf(trail.Hash);
            bool isSame = trail.View == view && (view & 1) == 0;
            if (isSame || trail.Rounds == MostRounds) return false;
            trail.Rounds++;
            trail.Place = 0;
            trail.View = view;
        }

        return true;
    }

    /// <summary>Copies a record into the buffer.</summary>
    /// <param name="record">The record, as it lies on the disk.</param>
    /// <param name="address">Where it will lie in the main log once <see cref="TryWrite"/> has said so.</param>
    /// <returns>False if the buffer has to be written first, or there is no segment for it.</returns>
    public bool TryAppend(ReadOnlySpan<byte> record, out long address)
    {
        long at = MainTail + _filled;
        long leftInPage = _pageBytes - (at & (_pageBytes - 1));
        int skipped = leftInPage < record.Length ? (int)leftInPage : 0;
        address = at + skipped;
        int filled = _filled + skipped + record.Length;
        if (filled > Math.Min(_bufferBytes, LeftInSegment) || (IsAtNewSegment && FreeSegments <= 0)) return false;
        var place = new Span<byte>(_buffer.Start + _filled + skipped, record.Length);
        record.CopyTo(place);
        RecordInfo info = default;
        info.SetValid();
        MemoryMarshal.Write(place[..RecordHeaderBytes], in info);
        _filled = filled;
        return true;
    }

    /// <summary>Writes what was collected, and waits for it.</summary>
    /// <param name="mustStop">Asked now and then whether it is no longer waited for.</param>
    /// <param name="wasStopped">Whether it was not; then nothing more may be appended, ever.</param>
    /// <returns>Whether all of it is on the disk, and may be led to.</returns>
    public bool TryWrite(Func<bool> mustStop, out bool wasStopped)
    {
        wasStopped = false;
        int length = (_filled + MemoryPlan.BlockBytes - 1) / MemoryPlan.BlockBytes * MemoryPlan.BlockBytes;
        if (length == 0) return true;
        _written.Reset();
        _device.Write(MainTail, (nint)_buffer.Start, length, _written.Set);
        while (!_written.Wait(LookInterval))
        {
            if (wasStopped = mustStop()) return false;
        }

        bool isWritten = _device.IsWritten(MainTail, length);
        Index.Main.Tail += length;
        new Span<byte>(_buffer.Start, length).Clear();
        _filled = 0;
        return isWritten;
    }

    /// <summary>Goes on with the next segment, where what is left of this one is too short for a record. Nothing may be in the buffer.</summary>
    public void SkipToNextSegment()
    {
        if (!IsAtNewSegment) Index.Main.Tail += LeftInSegment;
    }

    /// <summary>From now on the index may lead to what FASTER's log has written from one record to the end of another.</summary>
    public void Extend(long from, long end)
    {
        if (Index.Probation.IsEmpty) Index.Drop(ref Index.Probation, from);
        while (end - ProbationBegin > _mostLength && EndOfOldestProbation <= _admissionBegin()) DropProbation(EndOfOldestProbation); // segments of which nothing was written take no disk, but addresses
        Index.Probation.Tail = Math.Max(Index.Probation.Tail, end);
    }

    /// <summary>FASTER's log has let its oldest segments go, which have become those on probation. Of which nothing was written takes no place.</summary>
    public void DropUnwritten()
    {
        while (_mayWithhold && EndOfOldestProbation <= _admissionBegin() && _device.CountSegments(ProbationBegin, EndOfOldestProbation) == 0) DropProbation(EndOfOldestProbation);
    }

    /// <summary>Drops all records on probation before an address, and their files in the background.</summary>
    public void DropProbation(long before)
    {
        Index.Drop(ref Index.Probation, before);
        Fault.Point("probation.dropped");
        RemoveFiles();
    }

    /// <summary>Drops all records of the main log before an address, and their files in the background.</summary>
    public void DropMain(long before)
    {
        Index.Drop(ref Index.Main, before);
        Fault.Point("main.dropped");
        RemoveFiles();
    }

    /// <summary>Drops the oldest segment, whatever is in it: of those on probation, or else of the main log.</summary>
    /// <returns>False if there is none.</returns>
    public bool TryDropOldest()
    {
        var (probation, main) = (EndOfOldestProbation, EndOfOldestMain); // whoever else drops it now makes this do nothing
        bool hasProbation = probation <= _admissionBegin();
        if (!hasProbation && MainTail <= MainBegin) return false;
        if (hasProbation) DropProbation(probation);
        else DropMain(main);
        return true;
    }

    /// <summary>Removes the files of what was dropped, and forgets where it was.</summary>
    public void Sweep()
    {
        RemoveFiles();
        Index.Sweep();
    }

    /// <summary>Removes the files of segments of which nothing is in use.</summary>
    public void RemoveFiles()
    {
        _device.RemoveSegmentsBefore((int)(Math.Min(ProbationBegin, _admissionBegin()) / _segmentBytes));
        _device.RemoveSegmentsBefore((int)(MainBegin / _segmentBytes));
    }

    /// <summary>Segments of which nothing was written take no room.</summary>
    private long SegmentsOnProbation => _mayWithhold ? _device.CountSegments(ProbationBegin, _admissionBegin()) : SegmentsBetween(ProbationBegin, _admissionBegin());

    private long LeftInSegment => _segmentBytes - (MainTail & (_segmentBytes - 1));

    private bool IsAtNewSegment => (MainTail & (_segmentBytes - 1)) == 0;

    /// <summary>Where the segment ends that an address lies in.</summary>
    public long EndOfSegment(long address) => ((address / _segmentBytes) + 1) * _segmentBytes;

    private long SegmentsBetween(long begin, long end) => end <= begin ? 0 : ((end + _segmentBytes - 1) / _segmentBytes) - (begin / _segmentBytes);
}
