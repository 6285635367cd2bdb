using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace HybridCaching.Tests.Support;

/// <summary>Keeps every log entry, whatever its category.</summary>
public sealed class CollectingLoggerFactory : ILoggerFactory, ILogger
{
    private readonly ConcurrentQueue<LogEntry> _entries = new();

    public IReadOnlyList<LogEntry> Entries => [.. _entries];

    /// <summary>Called for each message, by whoever says it.</summary>
    public Action<LogEntry>? Said { get; init; }

    /// <summary>The messages of level Warning and above.</summary>
    public IReadOnlyList<string> Warnings => MessagesFrom(LogLevel.Warning);

    public IReadOnlyList<string> MessagesOf(LogLevel level) => [.. _entries.Where(e => e.Level == level).Select(e => e.Message)];

    public IReadOnlyList<string> MessagesFrom(LogLevel level) => [.. _entries.Where(e => e.Level >= level).Select(e => e.Message)];

    public void Clear() => _entries.Clear();

    public ILogger CreateLogger(string categoryName) => this;

    public void AddProvider(ILoggerProvider provider)
    {
    }

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => logLevel != LogLevel.None;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        var entry = new LogEntry(logLevel, eventId, formatter(state, exception), exception);
        _entries.Enqueue(entry);
        Said?.Invoke(entry);
    }

    public void Dispose()
    {
    }

    public sealed record LogEntry(LogLevel Level, EventId Id, string Message, Exception? Exception);
}
