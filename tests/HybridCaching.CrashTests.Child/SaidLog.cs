using Microsoft.Extensions.Logging;

namespace HybridCaching.CrashTests.Child;

/// <summary>Says what the cache logs: why a start was cold, for instance.</summary>
internal sealed class SaidLog : ILoggerFactory, ILogger
{
    public ILogger CreateLogger(string categoryName) => this;

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => logLevel >= LogLevel.Information;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
        Output.Say(Output.Logged, $"{formatter(state, exception)} {exception?.Message}".ReplaceLineEndings(" "));

    public void AddProvider(ILoggerProvider provider)
    {
    }

    public void Dispose()
    {
    }
}
