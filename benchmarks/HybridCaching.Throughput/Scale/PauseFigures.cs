using HybridCaching.Throughput.Cells;
using HybridCaching.Throughput.Measuring;

namespace HybridCaching.Throughput.Scale;

/// <summary>How long the garbage collector stopped a contestant, once.</summary>
/// <param name="Contestant">Who.</param>
/// <param name="Entries">With so many entries of <see cref="Contestants.Value100"/>.</param>
/// <param name="Workload">A letter of YCSB, or <see cref="Measurement.Filling"/>.</param>
/// <param name="Repeat">From 0 on.</param>
/// <param name="Seconds">How long it was measured.</param>
/// <param name="LongestPauseMilliseconds">The longest stop of all threads.</param>
/// <param name="AllPausesMilliseconds">All of them.</param>
/// <param name="Collections">How often it ran.</param>
internal sealed record PauseFigures(string Contestant, int Entries, string Workload, int Repeat, double Seconds, double LongestPauseMilliseconds, double AllPausesMilliseconds, Collections Collections)
{
    public static PauseFigures Of(Measurement measured) =>
        new(measured.Contender, measured.Conditions.Entries, measured.Workload, measured.Repeat, measured.Seconds, measured.LongestPauseMilliseconds, measured.AllPausesMilliseconds, measured.Collections);
}
