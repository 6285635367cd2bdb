namespace HybridCaching.Benchmarks.Workloads;

/// <summary>What a team did, and how long it took from the release of its workers to the finish of the last.</summary>
internal readonly record struct Outcome(TimeSpan Elapsed, int Asked, int Completed)
{
    /// <summary>Once in some 650,000 times a new key takes the record of another, which lies on the disk, along; and that may be one that is read again and again.</summary>
    private const double UsualShare = 0.999;

    public double NanosecondsPerOperation => Elapsed.TotalNanoseconds / Asked;

    /// <summary>Stops a measurement that did not do the work it was given, or that share of it.</summary>
    public Outcome EnsureComplete(string contestant, double share = UsualShare) =>
        Completed >= share * Asked
            ? this
            : throw new InvalidOperationException($"{contestant}: {Completed:N0} of {Asked:N0} operations were carried out; the others found no entry or were refused.");
}
