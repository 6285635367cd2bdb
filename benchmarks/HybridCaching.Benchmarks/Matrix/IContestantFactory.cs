using HybridCaching.Benchmarks.Contestants;

namespace HybridCaching.Benchmarks.Matrix;

/// <summary>Makes the contestants for one type of keys and one of values.</summary>
internal interface IContestantFactory
{
    public EntrySizes Sizes { get; }

    public IContestant Dictionary();

    public IContestant Cache(int entries, MemoryShare share);

    public IContestant Store(int entries, MemoryShare share, int workers);
}
