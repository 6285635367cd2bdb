using System.Diagnostics;
using System.Globalization;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Concurrency;

/// <summary>How long a stress test goes on.</summary>
internal sealed class Duration
{
    private readonly long _start = Stopwatch.GetTimestamp();
    private readonly TimeSpan _length;
    private readonly Func<bool> _isEnough;

    private Duration(TimeSpan length, Func<bool> isEnough) => (_length, _isEnough) = (length, isEnough);

    public bool IsOver => Stopwatch.GetElapsedTime(_start) is var elapsed && elapsed > _length && (elapsed > _length + (2 * Until.Deadline) || _isEnough());

    /// <summary>A piece of the default suite.</summary>
    public static Duration Of(double seconds) => Of(seconds, static () => true);

    /// <summary>The same, and longer on a slow machine: until enough has happened, or a minute later.</summary>
    public static Duration Of(double seconds, Func<bool> isEnough) => new(TimeSpan.FromSeconds(seconds), isEnough);

    /// <summary>A soak test: as long as HYBRIDCACHING_SOAK_SECONDS says. In the default suite, which has a short test of the same, it is left out.</summary>
    public static Duration OfSoak()
    {
        string? soak = Environment.GetEnvironmentVariable("HYBRIDCACHING_SOAK_SECONDS");
        Assert.SkipWhen(string.IsNullOrEmpty(soak), "a soak test: ./build.sh soak");
        return Of(double.Parse(soak!, CultureInfo.InvariantCulture));
    }
}
