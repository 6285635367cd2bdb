using HybridCaching.Throughput.Workloads;

namespace HybridCaching.Throughput.Tests;

public sealed class WorkloadTests
{
    private const int Entries = 10_000;
    private const int Draws = 1_000_000;

    [Theory]
    [InlineData("A", nameof(Operation.Update), 50)]
    [InlineData("B", nameof(Operation.Update), 5)]
    [InlineData("C", nameof(Operation.Read), 100)]
    [InlineData("D", nameof(Operation.Insert), 5)]
    [InlineData("E", nameof(Operation.Scan), 95)]
    [InlineData("F", nameof(Operation.ReadModifyWrite), 50)]
    public void Operation_ManyDraws_HasItsShare(string workload, string operation, double percent)
    {
        var mix = Mix.Named(workload);
        var choices = new Choices(Entries, seed: 1);

        int drawn = Enumerable.Range(0, Draws).Count(_ => choices.Operation(mix) == Enum.Parse<Operation>(operation));

        Assert.InRange(100.0 * drawn / Draws, percent - 0.3, percent + 0.3);
    }

    [Fact]
    public void Rank_ManyDraws_FollowsZipf()
    {
        var choices = new Choices(Entries, seed: 1);
        double all = Enumerable.Range(1, Entries).Sum(rank => Math.Pow(rank, -Mix.Skew));
        double wanted = Enumerable.Range(1, 100).Sum(rank => Math.Pow(rank, -Mix.Skew)) / all;

        double drawn = Enumerable.Range(0, Draws).Count(_ => choices.Rank() < 100) / (double)Draws;

        Assert.InRange(drawn, wanted - 0.02, wanted + 0.02);
    }

    [Fact]
    public void ScanLength_ManyDraws_ReachesBothEnds()
    {
        var choices = new Choices(Entries, seed: 1);

        int[] lengths = [.. Enumerable.Range(0, Draws).Select(_ => choices.ScanLength())];

        Assert.Equal((1, Mix.LongestScan), (lengths.Min(), lengths.Max()));
    }

    [Fact]
    public void At_Latest_IsTheNewestEntryThatIsStored()
    {
        var population = new Population(Entries);
        population.Begin();
        population.Done();
        population.Begin();

        Assert.Equal(Entries, population.At(0, isLatest: true));
    }

    [Fact]
    public void At_PopularRanks_AreScattered()
    {
        var population = new Population(Entries);

        Assert.True(Enumerable.Range(0, 100).Average(rank => population.At(rank, isLatest: false)) > Entries / 4);
    }

    [Theory]
    [InlineData(Entries)]
    [InlineData(131_072)]
    [InlineData(655_360)]
    public void At_AllRanks_AreEachEntryOnce(int entries)
    {
        var population = new Population(entries);

        Assert.Equal(entries, Enumerable.Range(0, entries).Select(rank => population.At(rank, isLatest: false)).Distinct().Count());
    }

    [Fact]
    public void KeyText_SameNumber_IsTheSameInBothForms()
    {
        byte[] key = new byte[KeyText.Length];

        KeyText.Write(12345, key);

        Assert.Equal(KeyText.Of(12345), System.Text.Encoding.UTF8.GetString(key));
    }

    [Fact]
    public void KeyText_ManyNumbers_AreDistinct() => Assert.Equal(Draws, Enumerable.Range(0, Draws).Select(number => KeyText.Of(number)).Distinct().Count());
}
