namespace WebApp;

/// <summary>Arithmetic that is slow enough to be worth a cache: by trial division.</summary>
internal static class PrimeNumbers
{
    /// <summary>The prime factors in ascending order, each as often as it divides the number.</summary>
    public static IEnumerable<long> Factor(long number)
    {
        for (long divisor = 2; divisor * divisor <= number; divisor += divisor == 2 ? 1 : 2)
        {
            for (; number % divisor == 0; number /= divisor) yield return divisor;
        }

        if (number > 1) yield return number;
    }

    /// <summary>The first prime is 2.</summary>
    public static long Nth(long n, CancellationToken cancellationToken)
    {
        var primes = new List<long> { 2 };
        for (long candidate = 3; primes.Count < n; candidate += 2)
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (IsPrime(candidate, primes)) primes.Add(candidate);
        }

        return primes[^1];
    }

    private static bool IsPrime(long candidate, List<long> smallerPrimes)
    {
        foreach (long prime in smallerPrimes)
        {
            if (prime * prime > candidate) break;
            if (candidate % prime == 0) return false;
        }

        return true;
    }
}
