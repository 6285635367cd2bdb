using System.Text.Json.Serialization;
using HybridCaching.Benchmarks.Contestants;
using HybridCaching.Benchmarks.Reporting;

namespace HybridCaching.Benchmarks.Pages;

/// <summary>What one contestant needed for one workload.</summary>
/// <param name="Contestant">The method of the suite.</param>
/// <param name="Parameters">The parameters of the suite, in their order.</param>
/// <param name="Nanoseconds">The mean per operation.</param>
/// <param name="Deviation">The standard deviation of the mean's parts, in nanoseconds.</param>
/// <param name="AllocatedBytes">Garbage per operation.</param>
/// <param name="Figures">What else was told, see <see cref="FigureColumn"/>.</param>
internal sealed record ResultRow(string Contestant, IReadOnlyDictionary<string, string> Parameters, double Nanoseconds, double Deviation, double? AllocatedBytes, IReadOnlyDictionary<string, long> Figures)
{
    private const string Ours = "Faster";
    private const string OursAlways = "Cache";
    private const string RawStore = "FasterKV";
    private const string OwnsItsMemory = "ConcurrentDictionary";
    private const string RawStoreHalfInMemory = "FasterKVHalfInMemory";
    private const double MostDeviation = 0.25;

    /// <summary>The share of memory; <see cref="MemoryShare.NotApplicable"/> where the contestant has no choice.</summary>
    [JsonIgnore]
    public string Memory => Parameters.GetValueOrDefault(ContestantOrderer.MemoryParameter, MemoryShare.NotApplicable);

    /// <summary>Whether it is the library.</summary>
    [JsonIgnore]
    public bool IsOurs => Contestant.StartsWith(Ours, StringComparison.Ordinal) && Contestant.Contains(OursAlways, StringComparison.Ordinal);

    /// <summary>Whether its parts were alike.</summary>
    [JsonIgnore]
    public bool IsSteady => Deviation <= MostDeviation * Nanoseconds;

    /// <summary>Whether it has part of its data in files, and nothing that keeps in memory what is read again.</summary>
    [JsonIgnore]
    public bool IsWithoutReadCache => Contestant == RawStoreHalfInMemory;

    /// <summary>All but the memory, in words.</summary>
    [JsonIgnore]
    public string Workload => string.Join(", ", Parameters.Where(each => each.Key != ContestantOrderer.MemoryParameter).Select(each => InWords(each.Key, each.Value)));

    /// <summary>Workload, and memory where there is a choice.</summary>
    [JsonIgnore]
    public string Cell => Memory switch
    {
        MemoryShare.NotApplicable => Workload,
        MemoryShare.MemoryOnlyText => $"{Workload}, {Memory}",
        _ => $"{Workload}, memory {Memory}",
    };

    /// <summary>Whether the library may be compared with that row: the same workload, and memory of the same share or of its own choice.</summary>
    public bool IsComparableWith(ResultRow other)
    {
        if (!IsOurs || other.IsOurs || Workload != other.Workload || (other.Memory != Memory && other.Memory != MemoryShare.NotApplicable)) return false;
        return !other.Contestant.StartsWith(RawStore, StringComparison.Ordinal) || Contestant.EndsWith(other.Contestant[RawStore.Length..], StringComparison.Ordinal);
    }

    /// <summary>The name of a contestant without what its memory is, which some suites have in it.</summary>
    public static string Kind(string contestant) =>
        contestant.StartsWith(RawStore, StringComparison.Ordinal) ? RawStore : contestant.StartsWith(OwnsItsMemory, StringComparison.Ordinal) ? OwnsItsMemory : contestant;

    private static string InWords(string parameter, string value) => parameter switch
    {
        "KeyType" => $"{value} keys",
        "ValueBytes" => $"{value} B",
        "ReadPercent" => $"{value} % reads",
        "Threads" => value == "1" ? "1 thread" : $"{value} threads",
        "KeyOrder" => $"{value.ToLowerInvariant()} order",
        _ => value,
    };
}
