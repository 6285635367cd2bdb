using HybridCaching.Benchmarks.Contestants;

namespace HybridCaching.Benchmarks.Workloads;

/// <summary>The operations that suites measure.</summary>
internal static class Operations
{
    public static readonly Operation Add = static (contestant, worker, keys) => contestant.Add(worker, keys);
    public static readonly Operation Read = static (contestant, worker, keys) => contestant.Read(worker, keys);
    public static readonly Operation Overwrite = static (contestant, worker, keys) => contestant.Overwrite(worker, keys);
    public static readonly Operation Mix = static (contestant, worker, draws) => contestant.Mix(worker, draws);
    public static readonly Operation ReadModifyWrite = static (contestant, worker, keys) => contestant.ReadModifyWrite(worker, keys);
    public static readonly Operation SetMany = static (contestant, _, keys) => ((LongCache)contestant).SetMany(keys);
    public static readonly Operation ReadIntoWriter = static (contestant, worker, keys) => ((DistributedContestant)contestant).ReadIntoWriter(worker, keys);
}
