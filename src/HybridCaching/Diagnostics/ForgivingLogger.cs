using Microsoft.Extensions.Logging;

namespace HybridCaching.Diagnostics;

/// <summary>Writes to a logger, and goes on if that throws: what was to be told is lost, the cache is not.</summary>
internal sealed class ForgivingLogger(ILogger logger) : ILogger
{
    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => logger.BeginScope(state);

    public bool IsEnabled(LogLevel logLevel)
    {
        try
        {
            return logger.IsEnabled(logLevel);
        }
        catch (Exception)
        {
            return false;
        }
    }

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        try
        {
            logger.Log(logLevel, eventId, state, exception, formatter);
        }
        catch (Exception)
        {
            // Somewhere in a thread of ours, nobody would catch it.
        }
    }
}
