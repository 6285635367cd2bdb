using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace HybridCaching.Tests.Support;

/// <summary>Notes what is ambient where something is logged, as loggers with scopes do.</summary>
public sealed class AmbientLoggerFactory(AsyncLocal<string?> ambience) : ILoggerFactory, ILogger
{
    private readonly ConcurrentQueue<(string? Event, string? Ambience)> _seen = new();

    public IReadOnlyList<(string? Event, string? Ambience)> Seen => [.. _seen];

    public ILogger CreateLogger(string categoryName) => this;

    public void AddProvider(ILoggerProvider provider)
    {
    }

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => true;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) => _seen.Enqueue((eventId.Name, ambience.Value));

    public void Dispose()
    {
    }
}
