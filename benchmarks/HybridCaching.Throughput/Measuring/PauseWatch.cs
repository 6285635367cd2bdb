using System.Diagnostics.Tracing;

namespace HybridCaching.Throughput.Measuring;

/// <summary>How long the runtime stops all threads, at a time, for a collection or, seldom, for another reason: from its own events.</summary>
internal sealed class PauseWatch : EventListener
{
    private const string Source = "Microsoft-Windows-DotNETRuntime";
    private const EventKeywords Collections = (EventKeywords)1;
    private const int SuspendBegins = 9;
    private const int RestartEnded = 3;

    private readonly Lock _lock = new();
    private DateTime? _begun;
    private TimeSpan _longest;

    /// <summary>The longest stop since this was asked last.</summary>
    public TimeSpan TakeLongest()
    {
        lock (_lock)
        {
            var longest = _longest;
            _longest = default;
            return longest;
        }
    }

    protected override void OnEventSourceCreated(EventSource eventSource)
    {
        if (eventSource.Name == Source) EnableEvents(eventSource, EventLevel.Informational, Collections);
    }

    protected override void OnEventWritten(EventWrittenEventArgs eventData)
    {
        // The lock is made by a field initializer, which runs before the base class enables anything.
        lock (_lock)
        {
            if (eventData.EventId == SuspendBegins) _begun = eventData.TimeStamp;
            if (eventData.EventId != RestartEnded || _begun is not { } begun) return;
            _begun = null;
            if (eventData.TimeStamp - begun > _longest) _longest = eventData.TimeStamp - begun;
        }
    }
}
