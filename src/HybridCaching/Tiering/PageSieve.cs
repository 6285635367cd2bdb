using HybridCaching.Devices;
using HybridCaching.Store;

namespace HybridCaching.Tiering;

/// <summary>Looks through the pages that the write budget has no room for, and decides what of them reaches the disk. One caller at a time.</summary>
/// <remarks>
/// Memory is the probation then: what was read there, or has come back, goes to the main log; of the rest the ghost remembers the keys. The page itself is never written. It stays in memory until what
/// was chosen of it is on the disk and the index leads there. See docs/concurrency.md, "Withheld pages".
/// </remarks>
internal sealed class PageSieve : INewestSink
{
    /// <summary>No record begins before this address.</summary>
    private const long FirstAddress = 64;

    /// <summary>A record that there is no room for when the buffer was written, nor in another segment, is lost.</summary>
    private const int MostRefusals = 2;

    private readonly LogDevice _device;
    private readonly HybridLog _log;
    private readonly Mover _mover;
    private readonly IRecordJudge _judge;
    private readonly List<IoRequest> _held = [];
    private readonly Queue<(long End, int Entries)> _inMemory = new();
    private readonly Queue<(long End, int Entries)> _gone = new();
    private long _entriesGone;
    private long _withheld;
    private int _refusals;
    private int _entriesOfPage;

    /// <param name="device">Offers the pages.</param>
    /// <param name="log">Whose pages they are.</param>
    /// <param name="mover">Copies to the main log; knows the hits on FASTER's, and the keys that were dropped.</param>
    /// <param name="judge">Shows the records of a page.</param>
    public PageSieve(LogDevice device, HybridLog log, Mover mover, IRecordJudge judge)
    {
        _device = device;
        _log = log;
        _mover = mover;
        _judge = judge;
    }

    /// <summary>Entries that did not reach the disk.</summary>
    public long Withheld => Interlocked.Read(ref _withheld);

    /// <summary>Looks through all pages that are offered.</summary>
    public void Sift()
    {
        try
        {
            while (!_mover.HasEnded && _device.TryTakeOffered(out var page))
            {
                _held.Add(page);
                Sift(_device.AddressOf(page), _device.AddressOf(page) + page.Length);
            }

            // Before a page may leave memory: whoever walks the log, and removes what he meets, has to meet the record or what leads to its copy.
            if (_held.Count > 0 && !_mover.HasEnded) _mover.Write();
        }
        finally
        {
            foreach (var page in _held) _device.Withhold(page);
            _held.Clear();
        }

        EntriesMissing(_log.BeginAddress, _log.HeadAddress); // or pages would be remembered until somebody asks
    }

    /// <summary>How many entries of the log between two addresses are not there: those that did not reach the disk, and those that are in the main log.</summary>
    /// <param name="begin">Where the log begins.</param>
    /// <param name="head">Where the part in memory begins.</param>
    public long EntriesMissing(long begin, long head)
    {
        lock (_gone)
        {
            while (_inMemory.TryPeek(out var page) && page.End <= head)
            {
                _gone.Enqueue(_inMemory.Dequeue());
                _entriesGone += page.Entries;
            }

            while (_gone.TryPeek(out var page) && page.End <= begin) _entriesGone -= _gone.Dequeue().Entries;
            return _entriesGone;
        }
    }

    public bool TryTake(long address, ulong hash, ReadOnlySpan<byte> record, ulong owner, bool hasName)
    {
        bool isWanted = _mover.Hits.Of(owner) > 0;
        bool isCollected = isWanted && _mover.TryCollect(hash, address, record);
        if (isWanted && !isCollected && _refusals < MostRefusals) return false;
        _refusals = 0;
        if (!hasName) return true;
        if (isWanted) _mover.Hits.Take(owner); // the list of the pieces, which has the name, was stored behind them
        _entriesOfPage++;
        if (isCollected) return true;
        _mover.Ghost.Add(hash);
        Interlocked.Increment(ref _withheld);
        return true;
    }

    private void Sift(long start, long end)
    {
        _entriesOfPage = 0;
        for (long address = Math.Max(start, FirstAddress); address < end && !_mover.HasEnded;)
        {
            if (_judge.TryShow(ref address, end, this)) continue;
            if (_refusals++ == 0) _mover.Write();
            else _mover.SkipToNextSegment();
        }

        lock (_gone) _inMemory.Enqueue((end, _entriesOfPage));
    }
}
