using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Samples.Shared;

/// <summary>Keeps what the cache warns about until the progress bar is out of the way.</summary>
internal sealed class WarningCollector : ILoggerFactory, ILogger
{
    private const int MaxMessages = 20;

    private readonly ConcurrentQueue<string> _messages = new();

    public void Show()
    {
        foreach (string message in _messages) Console.WriteLine($"warning: {message}");
    }

    public ILogger CreateLogger(string categoryName) => this;

    public bool IsEnabled(LogLevel logLevel) => logLevel >= LogLevel.Warning;

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        if (IsEnabled(logLevel) && _messages.Count < MaxMessages) _messages.Enqueue(formatter(state, exception));
    }

    public void AddProvider(ILoggerProvider provider) => throw new NotSupportedException();

    public void Dispose()
    {
    }
}
