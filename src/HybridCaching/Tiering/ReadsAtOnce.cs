using System.Diagnostics;
using HybridCaching.Devices;
using HybridCaching.Store;

namespace HybridCaching.Tiering;

/// <summary>Reads of the disk that one call has under way at once: in two groups, each of which is handed in together, so that the disk has work while it is looked at what the other has brought.</summary>
/// <remarks>
/// Of a group the last read is waited for first: by then most others have ended too, so that a thread is woken once or twice for all of them, and not for each. Who finds no reader goes on with those he has: he never waits for one
/// while he keeps others from it. One caller, one run.
/// </remarks>
internal abstract class ReadsAtOnce<TReader>(ReaderPool<TReader> readers, LogDevice? device, Func<long, TimeSpan> timeLeft, CancellationToken cancellationToken)
    where TReader : LogReader
{
    private const int GroupReads = 16;

    private long _start = Stopwatch.GetTimestamp();
    private readonly RecordRead[] _posting = new RecordRead[GroupReads];
    private List<(TReader Reader, int Item)> _current = new(GroupReads);
    private List<(TReader Reader, int Item)> _other = new(GroupReads);
    private int _next;

    /// <summary>A call with a token that can be cancelled may take as long as the disk gets on: its time counts from the last answer. Others have the disk timeout for all of it.</summary>
    private TimeSpan Left => timeLeft(_start);

    private bool IsAnyUnderWay => _current.Count + _other.Count > 0;

    /// <summary>Reads what has numbers from 0 to before a count. Awaits only if asked to.</summary>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public async ValueTask RunAsync(int count, bool isAsync)
    {
        try
        {
            while (_next < count || IsAnyUnderWay)
            {
                for (int i = _current.Count - 1; i >= 0; i--)
                {
                    var (reader, item) = _current[i];
                    bool hasEnded = isAsync ? await reader.WaitAsync(Left, cancellationToken).ConfigureAwait(false) : reader.Wait(Left);
                    if (hasEnded && cancellationToken.CanBeCanceled) _start = Stopwatch.GetTimestamp();
                    if (!hasEnded) GiveUp(i);
                    else if (TryGoOn(reader, item)) GiveBack(i);
                }

                while (_next < count && _current.Count < GroupReads)
                {
                    var patience = IsAnyUnderWay ? TimeSpan.Zero : Left;
                    var reader = isAsync ? await readers.TakeAsync(patience, cancellationToken).ConfigureAwait(false) : readers.Take(patience);
                    if (reader is null && IsAnyUnderWay) break;
                    if (reader is null) OnTimeout(_next++);
                    else Begin(reader, count);
                }

                PostCurrent();
                (_current, _other) = (_other, _current);
            }
        }
        finally
        {
            foreach (var (reader, _) in _current) readers.Abandon(reader);
            foreach (var (reader, _) in _other) readers.Abandon(reader);
        }
    }

    /// <summary>Goes on with one of them as far as no disk is needed.</summary>
    /// <returns>False if it is needed (once more).</returns>
    protected abstract bool TryGoOn(TReader reader, int item);

    /// <summary>The time was over before one of them was read.</summary>
    protected abstract void OnTimeout(int item);

    /// <summary>Begins with the next one that needs the disk.</summary>
    private void Begin(TReader reader, int count)
    {
        _current.Add((reader, _next));
        while (TryGoOn(reader, _next++))
        {
            if (_next == count)
            {
                GiveBack(_current.Count - 1);
                return;
            }

            _current[^1] = (reader, _next);
        }
    }

    private void PostCurrent()
    {
        for (int i = 0; i < _current.Count; i++) _posting[i] = _current[i].Reader.BeginPost();
        if (_current.Count > 0) device!.Post(_posting.AsSpan(0, _current.Count));
    }

    private void GiveBack(int place)
    {
        var (reader, _) = _current[place];
        _current.RemoveAt(place);
        readers.Return(reader);
    }

    private void GiveUp(int place)
    {
        var (reader, item) = _current[place];
        _current.RemoveAt(place);
        readers.Abandon(reader);
        OnTimeout(item);
    }
}
