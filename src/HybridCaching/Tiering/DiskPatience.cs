using System.Diagnostics;

namespace HybridCaching.Tiering;

/// <summary>Patience with a disk: it lasts as long as the disk gives signs of life. For one thread.</summary>
/// <param name="progress">Changes whenever the disk has done something.</param>
/// <param name="timeout">How long it may do nothing.</param>
internal sealed class DiskPatience(Func<long> progress, TimeSpan timeout)
{
    /// <summary>How much longer what was given up may take to be over.</summary>
    private static readonly TimeSpan Grace = TimeSpan.FromMilliseconds(100);

    private SpinWait _spin;
    private long _seen = progress();
    private long _since = Stopwatch.GetTimestamp();

    /// <summary>Whether the disk has done nothing for too long. Once it is over, it does not begin anew.</summary>
    public bool IsOver { get; private set; }

    public bool IsLongOver => IsOver && Stopwatch.GetElapsedTime(_since) > timeout + Grace;

    /// <summary>Waits a moment.</summary>
    public void Wait()
    {
        _spin.SpinOnce();
        if (IsOver) return;
        long now = progress();
        if (now != _seen) (_seen, _since) = (now, Stopwatch.GetTimestamp());
        IsOver = Stopwatch.GetElapsedTime(_since) > timeout;
    }
}
