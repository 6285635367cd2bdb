using System.Runtime.CompilerServices;

namespace HybridCaching.Tests.Concurrency;

/// <summary>A value of 4 KiB, few of which fit a page of the log.</summary>
[InlineArray(512)]
public struct Bulk
{
    private long _word;

    public Bulk(long first) => _word = first;

    public readonly long First => this[0];
}
