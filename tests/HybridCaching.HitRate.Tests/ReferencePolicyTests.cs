using HybridCaching.HitRate.References;
using HybridCaching.HitRate.Traces;

namespace HybridCaching.HitRate.Tests;

public sealed class ReferencePolicyTests
{
    /// <summary>The small traces of the pack: all of them together take about a second. The others are compared by each run of the program.</summary>
    public static TheoryData<string> SmallTraces => ["cloudphysics", "corda", "multi3", "sprite", "web07", "web12"];

    [Theory]
    [MemberData(nameof(SmallTraces))]
    public void HitsOf_TraceOfThePack_AreThePublishedOnes(string name)
    {
        string folder = TracePack.DefaultFolder(Repository.Find().Root);
        var pack = TracePack.In(folder);
        string? file = pack?.Files.FirstOrDefault(file => TraceReader.NameOf(file) == name);
        if (file is null) Assert.Skip($"NOT TESTED: there is no trace {name} in shared/traces beside the repository, so LRU, FIFO, S3-FIFO and Belady were not compared with published hit ratios.");
        var trace = TraceReader.Read(file);
        var published = pack!.PublishedHits().Where(hits => hits.Trace == name && ReferencePolicy.All.Any(policy => policy.Name == hits.Policy)).ToList();

        var ours = published.Select(hits => hits with { Hits = ReferencePolicy.All.Single(policy => policy.Name == hits.Policy).HitsOf(trace, hits.Capacity), Requests = trace.Requests.Length });

        Assert.NotEmpty(published);
        Assert.Equal(published, ours);
    }

    // 1 is used again before 3 comes: LRU drops 2, FIFO drops 1.
    [Theory]
    [InlineData("LRU", 2)]
    [InlineData("FIFO", 1)]
    [InlineData("Belady", 2)]
    public void HitsOf_KeyUsedAgain_DependOnThePolicy(string policy, long hits) => Assert.Equal(hits, HitsOf(policy, 2, 1, 2, 1, 3, 1));

    [Theory]
    [InlineData("LRU", 0)]
    [InlineData("FIFO", 0)]
    [InlineData("Belady", 3)]
    public void HitsOf_Loop_OnlyTheFutureHelps(string policy, long hits) => Assert.Equal(hits, HitsOf(policy, 2, 1, 2, 3, 1, 2, 3, 1, 2, 3));

    [Fact]
    public void HitsOf_S3Fifo_KeepsWhatWasUsedTwiceThroughAScan()
    {
        long[] keys = [1, 1, 1, .. Enumerable.Range(100, 50).Select(key => (long)key), 1];

        Assert.Equal((3, 2), (HitsOf("S3-FIFO", 10, keys), HitsOf("LRU", 10, keys)));
    }

    [Fact]
    public void HitsOf_S3Fifo_AdmitsARememberedKeyToTheMainQueue()
    {
        // 1 falls out of the small queue into the ghost, comes back, and then stays through the next scan.
        long[] keys = [1, .. Scan(100, 12), 1, .. Scan(200, 20), 1];

        Assert.Equal(1, HitsOf("S3-FIFO", 10, keys));

        static IEnumerable<long> Scan(int first, int count) => Enumerable.Range(first, count).Select(key => (long)key);
    }

    [Fact]
    public void HitsOf_Weights_CountBytes()
    {
        var builder = new TraceBuilder("sized", isSized: true);
        foreach (var (key, size) in ((long, int)[])[(1, 60), (2, 60), (1, 60), (3, 40), (2, 60), (3, 40)]) builder.Add(key, size);

        Assert.Equal(1, ReferencePolicy.Lru.HitsOf(builder.Build(), 100));
    }

    [Fact]
    public void HitsOf_KeyLargerThanTheCache_StoresNothing()
    {
        var builder = new TraceBuilder("sized", isSized: true);
        foreach (var (key, size) in ((long, int)[])[(1, 50), (2, 200), (1, 50), (2, 200)]) builder.Add(key, size);
        var trace = builder.Build();

        Assert.All(ReferencePolicy.All.Where(policy => policy != ReferencePolicy.S3Fifo), policy => Assert.Equal(1, policy.HitsOf(trace, 100)));
    }

    private static long HitsOf(string policy, long capacity, params long[] keys)
    {
        var builder = new TraceBuilder("keys", isSized: false);
        foreach (long key in keys) builder.Add(key);
        return ReferencePolicy.All.Single(each => each.Name == policy).HitsOf(builder.Build(), capacity);
    }
}
