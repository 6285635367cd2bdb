using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using HybridCaching.Configuration;

namespace HybridCaching.Devices;

internal sealed partial class LogDevice
{
    private readonly ConcurrentQueue<IoRequest> _offered = new();
    private int _writingAll;

    /// <summary>What may be written; null for any number of bytes.</summary>
    public WriteBudget? Budget { get; init; }

    /// <summary>Bytes of a page of the log: only whole pages are offered.</summary>
    public int PageBytes { get; init; }

    /// <summary>Called, on a thread of the device, when a page was offered that the budget has no room for. As long as there is nobody to be called, all is written.</summary>
    public Action? Offered { get; set; }

    /// <summary>Takes a page that the budget has no room for. It stays in memory until <see cref="Withhold"/> is called for it.</summary>
    public bool TryTakeOffered([NotNullWhen(true)] out IoRequest? page) => _offered.TryDequeue(out page);

    /// <summary>Where in the log a page lies.</summary>
    public long AddressOf(IoRequest page) => (page.Segment * _segmentBytes) + page.Offset;

    /// <summary>Ends a page as if it had been written. It reads as one whose write was lost, but nothing has failed.</summary>
    public void Withhold(IoRequest page)
    {
        lock (page) page.IsOver = true;
        _checksums.Forget(page.Segment, page.Offset, page.Length);
        Complete(page);
    }

    /// <summary>From now on all is written, whatever the budget says, also what was offered and not taken yet.</summary>
    public void BeginWritingAll()
    {
        Interlocked.Increment(ref _writingAll);
        WriteOffered();
    }

    /// <summary>Ends what <see cref="BeginWritingAll"/> began.</summary>
    public void EndWritingAll() => Interlocked.Decrement(ref _writingAll);

    /// <summary>How many segments there are files for, from the one of an address to the one before that of another.</summary>
    public int CountSegments(long begin, long end) => _files?.CountBetween((int)(begin / _segmentBytes), (int)((end + _segmentBytes - 1) / _segmentBytes)) ?? 0;

    /// <summary>Whether nothing is there to be read from an address to the end of its page.</summary>
    public bool IsNothingAt(long address, long endOfPage) =>
        BlockChecksums.IsNothing(_checksums.Of((int)(address / _segmentBytes), address % _segmentBytes / MemoryPlan.BlockBytes * MemoryPlan.BlockBytes, (int)(endOfPage - address + MemoryPlan.BlockBytes - 1)));

    private bool MayOffer => Volatile.Read(ref _writingAll) == 0 && Offered is not null && _files is not null;

    /// <summary>Offers a page that the budget has no room for.</summary>
    /// <returns>False if the request is to be written.</returns>
    private bool TryOffer(IoRequest request)
    {
        if (Budget is not { } budget || request.IsOver) return false;
        bool isPage = request.Segment < SegmentFiles.FirstOfMain && request.Length == PageBytes && request.Offset % PageBytes == 0;
        if (!isPage || request.MustWrite || !MayOffer)
        {
            budget.Take(request.Length);
            return false;
        }

        if (budget.TryTake(request.Length)) return false;
        _offered.Enqueue(request);
        if (MayOffer) Offered?.Invoke();
        else WriteOffered(); // whoever has changed that may have looked before the page was there
        return true;
    }

    /// <summary>Has all pages written that were offered and not taken yet.</summary>
    public void WriteOffered()
    {
        while (_offered.TryDequeue(out var request))
        {
            request.MustWrite = true;
            if (!_writers.TryPost(request)) Complete(request);
        }
    }
}
