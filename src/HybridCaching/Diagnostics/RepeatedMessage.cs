namespace HybridCaching.Diagnostics;

/// <summary>Decides when to say that something happens that may happen often: the first time at once, then once a minute. One caller at a time.</summary>
internal sealed class RepeatedMessage(int looksPerMinute)
{
    private long _said;
    private int _quietFor;

    /// <summary>How many times to report now; 0 to say nothing.</summary>
    /// <param name="total">How often it has happened so far.</param>
    public long Due(long total)
    {
        if (_quietFor > 0) _quietFor--;
        long news = total - _said;
        if (news <= 0 || _quietFor > 0) return 0;
        _said = total;
        _quietFor = looksPerMinute;
        return news;
    }
}
