using System.Diagnostics;
using System.Globalization;

namespace HybridCaching.Tests.Concurrency;

/// <summary>How long a stress test goes on.</summary>
internal sealed class Duration
{
    private readonly long _start = Stopwatch.GetTimestamp();
    private readonly TimeSpan _length;

    private Duration(TimeSpan length) => _length = length;

    public bool IsOver => Stopwatch.GetElapsedTime(_start) > _length;

    /// <summary>A piece of the default suite.</summary>
    public static Duration Of(double seconds) => new(TimeSpan.FromSeconds(seconds));

    /// <summary>A soak test: as long as HYBRIDCACHING_SOAK_SECONDS says. In the default suite, which has a short test of the same, it is left out.</summary>
    public static Duration OfSoak()
    {
        string? soak = Environment.GetEnvironmentVariable("HYBRIDCACHING_SOAK_SECONDS");
        Assert.SkipWhen(string.IsNullOrEmpty(soak), "a soak test: ./build.sh soak");
        return Of(double.Parse(soak!, CultureInfo.InvariantCulture));
    }
}
