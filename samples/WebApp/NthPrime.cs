namespace WebApp;

/// <summary>The prime number that <paramref name="N"/> - 1 smaller ones come before.</summary>
internal sealed record NthPrime(long N, long Prime);
