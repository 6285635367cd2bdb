using System.Diagnostics;
using System.Runtime.InteropServices;
using HybridCaching.Configuration;
using HybridCaching.Diagnostics;

namespace HybridCaching.Devices;

/// <summary>Reads of single records.</summary>
internal sealed unsafe partial class LogDevice
{
    /// <summary>Reads the record at an address of the log, if that needs no disk: from what was read before, or from the system's page cache.</summary>
    /// <param name="read">Whose buffer is used.</param>
    /// <param name="address">Where the record begins.</param>
    /// <param name="isEnded">Whether a read that was posted for this address has just ended: its result is what there is.</param>
    /// <returns>False if the disk is needed: <see cref="Post(RecordRead)"/> asks it. True once the read has ended, well or not.</returns>
    /// <remarks>Called outside the epoch. Never throws; trouble is a record that could not be read.</remarks>
    public bool TryRead(RecordRead read, long address, bool isEnded)
    {
        var checksums = ChecksumsAt(address, read.Wanted, out int segment, out long within, out long offset);
        if (isEnded && segment == read.Segment && offset == read.Offset) return true;
        bool mayAnswer = Fault is null;
        bool isEnough = checksums.Length * MemoryPlan.BlockBytes >= RecordRead.LengthAt(within, read.Needed);
        if (isEnough && mayAnswer && read.Holds(segment, offset, checksums)) return true;
        read.Begin(segment, offset, checksums);
        if (!isEnough || _files is not { } files) return true;
        if (!mayAnswer || !files.TryReadCached(segment, offset, read.Bytes)) return false;
        read.End(Verify(segment, offset, read.Bytes));
        return true;
    }

    /// <summary>Reads the bytes of a record, and no more, from the system's page cache. Their checksum is not looked at, so they have to lie in blocks that were written once only.</summary>
    /// <param name="read">Whose buffer is looked at: if it holds the record's blocks, <see cref="TryRead"/> is the better way.</param>
    /// <param name="address">Where the record begins.</param>
    /// <param name="record">Where it goes.</param>
    /// <returns>False if not all of it is there, or was lost, or is in the buffer, or may be what was written before.</returns>
    public bool TryReadCached(RecordRead read, long address, Span<byte> record)
    {
        if (Fault is not null || _kernelReads is not null || _files is not { } files) return false;
        var checksums = ChecksumsAt(address, record.Length, out int segment, out long within, out long offset);
        return checksums.Length * MemoryPlan.BlockBytes == RecordRead.LengthAt(within, record.Length) && BlockChecksums.AreWrittenOnce(checksums)
            && !read.Holds(segment, offset, checksums) && files.TryReadCached(segment, within, record);
    }

    /// <summary>What stands for the blocks that so many bytes at an address lie in, up to the first that was never written, or lost; live.</summary>
    private ReadOnlySpan<uint> ChecksumsAt(long address, int bytes, out int segment, out long within, out long offset)
    {
        segment = (int)(address / _segmentBytes);
        within = address % _segmentBytes;
        offset = within / MemoryPlan.BlockBytes * MemoryPlan.BlockBytes;
        return BlockChecksums.Present(_checksums.Of(segment, offset, RecordRead.LengthAt(within, bytes)));
    }

    /// <summary>From now on what is there from one address to another can never be read: both in the same page.</summary>
    public void Lose(long address, long end)
    {
        var (segment, within) = ((int)(address / _segmentBytes), address % _segmentBytes);
        _checksums.GiveUp(segment, within, RecordRead.LengthAt(within, (int)(end - address)));
        if (_files?.IsGivenUp(segment) != false) _checksums.Remove(segment); // nobody else would
        Interlocked.Increment(ref _losses); // a fence, too: who leads to a copy from now on sees what is lost, or the copy was there before
    }

    /// <summary>Has another thread, or the kernel, read what <see cref="TryRead"/> could not; it then signals.</summary>
    public void Post(RecordRead read) => Post(new ReadOnlySpan<RecordRead>(in read));

    /// <summary>The same for several, which costs less than one after the other.</summary>
    public void Post(ReadOnlySpan<RecordRead> reads)
    {
        foreach (var read in reads) read.BeginWaiting(_instruments?.StartDiskOperation() ?? 0);
        for (int posted = PostToKernel(reads); posted < reads.Length; posted += 1 + PostToKernel(reads[(posted + 1)..])) PostToThread(reads[posted]);
    }

    /// <summary>The same for somebody who waits for it on his thread, for some time.</summary>
    /// <returns>False when the time is over: then it has to be given up.</returns>
    public bool PostAndWait(RecordRead read, TimeSpan timeout)
    {
        if (MayAskKernel && TryFindFile(read))
        {
            long start = Stopwatch.GetTimestamp();
            read.BeginWaiting(_instruments?.StartDiskOperation() ?? 0);
            if (_kernelReads!.TryReadAndWait(read, timeout, out bool hasEnded)) return hasEnded && read.Wait(Left(timeout, start)); // a thread may have it now
        }

        Post(read);
        return read.Wait(timeout);
    }

    private static TimeSpan Left(TimeSpan timeout, long start)
    {
        if (timeout == Timeout.InfiniteTimeSpan) return timeout;
        var left = timeout - Stopwatch.GetElapsedTime(start);
        return left > TimeSpan.Zero ? left : TimeSpan.Zero;
    }

    private bool MayAskKernel => Fault is null && _kernelReads is not null;

    /// <returns>How many, from the first one on.</returns>
    private int PostToKernel(ReadOnlySpan<RecordRead> reads)
    {
        if (!MayAskKernel) return 0;
        int count = 0;
        while (count < reads.Length && TryFindFile(reads[count])) count++;
        return count == 0 ? 0 : _kernelReads!.Post(reads[..count]);
    }

    private bool TryFindFile(RecordRead read) => (read.File = _files?.DirectHandleOf(read.Segment)) is not null;

    private void PostToThread(RecordRead read)
    {
        if (!_readers.TryPost(new IoRequest(IoKind.Read, read.Segment, read.Offset) { Record = read })) read.Signal();
    }

    /// <summary>What the kernel could not have read without waiting, all or a part of it, is for a thread, which may wait.</summary>
    private void EndKernelRead(RecordRead read, long result)
    {
        if (result == ReadResult.WouldWait || (result >= 0 && result < read.Length))
        {
            PostToThread(read);
            return;
        }

        Count(ref _reads, ref _readBytes, read.Length);
        if (result == read.Length) read.End(Verify(read.Segment, read.Offset, read.Bytes));
        else CountError(ref _readErrors, Marshal.GetPInvokeErrorMessage((int)-result));
        _instruments?.EndDiskOperation(read.PostedAt, "read");
        read.Signal();
    }

    /// <summary>An activity for a read; null while nobody listens.</summary>
    public ForgivingActivity? StartReadActivity() => _instruments?.StartActivity("hybridcaching.disk.read");

    /// <summary>What was read from an address on, after <see cref="TryRead"/>; empty if it could not be read.</summary>
    public ReadOnlySpan<byte> BytesAt(RecordRead read, long address) => read.BytesAt(address % _segmentBytes);
}
