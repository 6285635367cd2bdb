using System.Diagnostics;

namespace WebApp;

/// <summary>A number's prime factors, and what it took to find them.</summary>
internal sealed record Factors(long Number, IReadOnlyList<long> PrimeFactors, double Milliseconds)
{
    public static Factors Of(long number)
    {
        long start = Stopwatch.GetTimestamp();
        return new Factors(number, [.. PrimeNumbers.Factor(number)], Stopwatch.GetElapsedTime(start).TotalMilliseconds);
    }
}
