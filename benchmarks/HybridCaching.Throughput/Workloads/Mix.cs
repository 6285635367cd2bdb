namespace HybridCaching.Throughput.Workloads;

/// <summary>A workload of YCSB: shares of operations in percent.</summary>
/// <remarks>B. Cooper et al., "Benchmarking cloud serving systems with YCSB", SoCC 2010. What is left of 100 are reads.</remarks>
/// <param name="Name">Its letter.</param>
/// <param name="Updates">Overwrites of entries that are there.</param>
/// <param name="Inserts">Entries that were not there.</param>
/// <param name="Scans">Up to <see cref="LongestScan"/> entries in the order of their keys.</param>
/// <param name="ReadModifyWrites">Reads that are followed by an overwrite.</param>
/// <param name="IsLatest">Whether the newest entries are the popular ones; otherwise the popular ones lie anywhere.</param>
internal sealed record Mix(string Name, int Updates = 0, int Inserts = 0, int Scans = 0, int ReadModifyWrites = 0, bool IsLatest = false)
{
    public const int LongestScan = 100;

    /// <summary>The skew of popularity in all of them.</summary>
    public const double Skew = 0.99;

    /// <summary>In the order in which YCSB advises to run them after one loading: D and E, which insert, come last.</summary>
    public static IReadOnlyList<Mix> All { get; } =
    [
        new("A", Updates: 50),
        new("B", Updates: 5),
        new("C"),
        new("F", ReadModifyWrites: 50),
        new("D", Inserts: 5, IsLatest: true),
        new("E", Inserts: 5, Scans: 95),
    ];

    public string Description => string.Join(", ", new[]
    {
        (Share: 100 - Updates - Inserts - Scans - ReadModifyWrites, What: IsLatest ? "reads of the latest" : "reads"),
        (Share: Updates, What: "updates"),
        (Share: Inserts, What: "inserts"),
        (Share: Scans, What: $"scans of 1 to {LongestScan}"),
        (Share: ReadModifyWrites, What: "read-modify-writes"),
    }.Where(part => part.Share > 0).Select(part => $"{part.Share} % {part.What}"));

    public static Mix Named(string name) => All.FirstOrDefault(mix => mix.Name == name) ?? throw new CannotStartException($"workload '{name}' is none of {string.Join(", ", All.Select(mix => mix.Name))}");

    /// <summary>The operation for a number drawn from 0 to 99.</summary>
    public Operation At(int percent)
    {
        if ((percent -= Updates) < 0) return Operation.Update;
        if ((percent -= Inserts) < 0) return Operation.Insert;
        if ((percent -= Scans) < 0) return Operation.Scan;
        return percent < ReadModifyWrites ? Operation.ReadModifyWrite : Operation.Read;
    }
}
