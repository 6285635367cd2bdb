namespace HybridCaching.Throughput.Measuring;

/// <summary>How often the garbage collector ran, by the oldest generation that it looked at. The runtime counts each for the younger ones, too.</summary>
internal readonly record struct Collections
{
    public required int Gen0 { get; init; }

    public required int Gen1 { get; init; }

    public required int Gen2 { get; init; }

    /// <summary>Since the process began.</summary>
    public static Collections Now()
    {
        int oldest = GC.CollectionCount(2), older = GC.CollectionCount(1), all = GC.CollectionCount(0);
        return new Collections { Gen0 = all - older, Gen1 = older - oldest, Gen2 = oldest };
    }

    public static Collections operator -(Collections after, Collections before) =>
        new() { Gen0 = after.Gen0 - before.Gen0, Gen1 = after.Gen1 - before.Gen1, Gen2 = after.Gen2 - before.Gen2 };
}
