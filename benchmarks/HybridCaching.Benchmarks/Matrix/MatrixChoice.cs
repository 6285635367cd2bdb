using System.Globalization;
using BenchmarkDotNet.Filters;
using BenchmarkDotNet.Running;
using HybridCaching.Benchmarks.Contestants;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks.Matrix;

/// <summary>Which cells of the matrix are run.</summary>
/// <remarks>
/// Thousands are possible. By default it is a star: the usual workload (long keys, 32 bytes, or 100 bytes by text key, Zipf, 95 % reads, one thread) at each share of memory,
/// what differs from it in one thing with the least memory (the typed cache also with all; uniform keys, and the most threads, also with half),
/// and half writes by six threads with half of the data in memory. What is named on the command line is run in every combination, with the usual for the rest, or with everything.
/// </remarks>
internal sealed class MatrixChoice : IFilter
{
    private const string FewestInMemory = "10%";
    private const string QuarterInMemory = "25%";
    private const string HalfInMemory = "50%";
    private const string MostInMemory = "90%";
    private const string AllInMemory = "100%";
    private const string HalfReads = "50";
    private const int ManyThreads = 6;

    private readonly IReadOnlyDictionary<string, string[]> _named;

    /// <param name="isFull">Whether what is not named has all its values.</param>
    /// <param name="named">Values by the name of a dimension, see <see cref="Dimensions"/>.</param>
    public MatrixChoice(bool isFull = false, IReadOnlyDictionary<string, string[]>? named = null)
    {
        IsFull = isFull;
        _named = named ?? new Dictionary<string, string[]>();
    }

    public static IReadOnlyList<int> ThreadCounts { get; } = [1, 2, ManyThreads, .. Environment.ProcessorCount > ManyThreads ? (int[])[Environment.ProcessorCount] : []];

    /// <summary>What can be chosen: the property of the suites, and its values.</summary>
    public static IReadOnlyList<(string Name, string[] Values)> Dimensions { get; } =
    [
        (nameof(MixedBenchmarks.Memory), [FewestInMemory, QuarterInMemory, HalfInMemory, MostInMemory, AllInMemory, MemoryShare.AsDictionaryText]),
        (nameof(MixedBenchmarks.Threads), [.. ThreadCounts.Select(count => Text(count))]),
        (nameof(MixedBenchmarks.ReadPercent), ["0", "50", "95", "100"]),
        (nameof(MixedBenchmarks.Choice), Enum.GetNames<KeyChoice>()),
        (nameof(MixedBenchmarks.ValueBytes), ["8", "32", "100", "1024"]),
        (nameof(MixedBenchmarks.KeyType), Enum.GetNames<KeyType>()),
    ];

    /// <summary>Whether what is not named has all its values.</summary>
    public bool IsFull { get; }

    /// <summary>Whether a table of it says what there is to say, and may stand among the results.</summary>
    public bool IsPublishable => _named.Count == 0;

    public static bool IsMatrix(Type suite) => suite == typeof(MixedBenchmarks) || suite == typeof(MixedByteBenchmarks);

    public bool Predicate(BenchmarkCase benchmarkCase)
    {
        if (!IsMatrix(benchmarkCase.Descriptor.Type)) return true;
        var values = benchmarkCase.Parameters.Items.ToDictionary(item => item.Name, item => Text(item.Value));
        bool isOfBytes = benchmarkCase.Descriptor.Type == typeof(MixedByteBenchmarks);
        return Takes(values, isOfBytes, benchmarkCase.Descriptor.WorkloadMethod.Name);
    }

    /// <summary>Whether a cell is run.</summary>
    /// <param name="values">The values by dimension.</param>
    /// <param name="isOfBytes">Whether it is of the suite of bytes.</param>
    /// <param name="contestant">The name of the contestant.</param>
    public bool Takes(IReadOnlyDictionary<string, string> values, bool isOfBytes, string contestant)
    {
        if (_named.Any(each => values.TryGetValue(each.Key, out string? value) && value != MemoryShare.NotApplicable && !each.Value.Contains(value))) return false;
        string memory = values[nameof(MixedBenchmarks.Memory)];
        string[] unusual = [.. values.Where(each => !_named.ContainsKey(each.Key) && !IsUsual(each.Key, each.Value, isOfBytes)).Select(each => each.Key)];
        if (IsFull) return true;
        bool isBetween = memory is QuarterInMemory or MostInMemory;
        if (_named.Count > 0) return unusual.Length == 0 && (_named.ContainsKey(nameof(MixedBenchmarks.Memory)) || memory != MemoryShare.AsDictionaryText);
        return unusual switch
        {
            [] => true,
            [nameof(MixedBenchmarks.Choice)] when !isOfBytes && values[nameof(MixedBenchmarks.Choice)] == nameof(KeyChoice.Uniform) => !isBetween,
            [nameof(MixedBenchmarks.Threads)] when !isOfBytes && values[nameof(MixedBenchmarks.Threads)] == Text(ThreadCounts[^1]) => !isBetween && memory != MemoryShare.AsDictionaryText,
            [_, _] => !isOfBytes && memory is (MemoryShare.NotApplicable or HalfInMemory)
                && values[nameof(MixedBenchmarks.Threads)] == Text(ManyThreads) && values[nameof(MixedBenchmarks.ReadPercent)] == HalfReads,
            [_] => (memory is MemoryShare.NotApplicable or FewestInMemory || (memory == AllInMemory && contestant == nameof(MixedBenchmarks.FasterCache))) && contestant != DistributedContestant.Memory,
            _ => false,
        };
    }

    private static bool IsUsual(string dimension, string value, bool isOfBytes) => dimension switch
    {
        nameof(MixedBenchmarks.Threads) => value == "1",
        nameof(MixedBenchmarks.ReadPercent) => value == "95",
        nameof(MixedBenchmarks.Choice) => value == nameof(KeyChoice.Zipf),
        nameof(MixedBenchmarks.ValueBytes) => value == (isOfBytes ? "100" : "32"),
        nameof(MixedBenchmarks.KeyType) => value == nameof(KeyType.Int64),
        _ => true,
    };

    private static string Text(object? value) => Convert.ToString(value, CultureInfo.InvariantCulture)!;
}
