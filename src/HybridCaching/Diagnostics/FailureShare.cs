namespace HybridCaching.Diagnostics;

/// <summary>Notices that nearly all operations of one kind fail. One caller at a time.</summary>
internal struct FailureShare
{
    private long _operationsSeen;
    private long _errorsSeen;
    private long _quietFor;

    /// <summary>More than nine of ten of the last operations failed.</summary>
    public bool IsFailing { get; private set; }

    /// <summary>How many operations there were at the last look that saw any.</summary>
    public long Operations { get; private set; }

    /// <summary>How many of them failed.</summary>
    public long Errors { get; private set; }

    /// <param name="operations">How many there were so far.</param>
    /// <param name="errors">How many of them failed.</param>
    public void Look(long operations, long errors)
    {
        long news = operations - _operationsSeen;
        long newErrors = errors - _errorsSeen;
        (_operationsSeen, _errorsSeen) = (operations, errors);
        _quietFor = news > 0 ? 0 : _quietFor + 1;
        if (news <= 0) return;
        (Operations, Errors) = (news, Math.Min(news, newErrors)); // files that could not be removed are errors, too
        IsFailing = newErrors * 10 > news * 9;
    }

    /// <summary>It works, as a test has shown; what has happened during the last looks tells more.</summary>
    public void Works(int looks)
    {
        if (_quietFor >= looks) IsFailing = false;
    }
}
