using HybridCaching.Configuration;

namespace HybridCaching.Store;

/// <summary>A log with those who write and read its kind of records.</summary>
internal abstract class SessionLog<TSession, TReader> : HybridLog
    where TSession : LogSession
    where TReader : LogReader
{
    /// <summary>A new session. Costs microseconds and kilobytes: pool them.</summary>
    public abstract TSession NewSession();

    /// <summary>A new reader of what is on the disk. Takes a buffer of <see cref="MemoryPlan.ReadBufferBytes"/> when first used.</summary>
    public abstract TReader NewReader();

    /// <summary>A reader of many records at once: <see cref="LogReader.TryCollect"/>.</summary>
    public abstract TReader NewCollector();
}
