using HybridCaching.Devices;
using HybridCaching.Tests.Distributed;

namespace HybridCaching.Tests.Concurrency;

/// <summary>Checkpoints beside everything else.</summary>
public sealed class RestStressTests(ITestOutputHelper output) : IDisposable
{
    private const double Seconds = 4;

    private readonly TestDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public void Typed_CheckpointsAgainAndAgain_NothingIsLostOrStale() => RunTyped(Duration.Of(Seconds));

    [Fact]
    public void Bytes_CheckpointsAgainAndAgain_NothingIsLostOrStale() => RunBytes(Duration.Of(Seconds));

    [Fact]
    [Trait("Category", "Soak")]
    public void Typed_CheckpointsAgainAndAgainForLong_NothingIsLostOrStale() => RunTyped(Duration.OfSoak());

    [Fact]
    [Trait("Category", "Soak")]
    public void Bytes_CheckpointsAgainAndAgainForLong_NothingIsLostOrStale() => RunBytes(Duration.OfSoak());

    [Fact]
    public void Typed_CheckpointsGivenUpOnASlowDisk_NothingIsLostOrStale() => RunTyped(Duration.Of(Seconds), mostPatience: 60);

    [Fact]
    public void Bytes_CheckpointsGivenUpOnASlowDisk_NothingIsLostOrStale() => RunBytes(Duration.Of(Seconds), mostPatience: 60);

    [Fact]
    public void Typed_DisposedAtAnyMoment_NothingIsLostOrStale()
    {
        for (int round = 0; round < 15; round++)
        {
            using var directory = new TestDirectory();
            var cache = TypedRestRun.Open(directory.Path);
            var run = new TypedRestRun(cache, directory.Path);
            run.GoUntilDisposed(round);
            using var again = TypedRestRun.Open(directory.Path);
            AssertRight(run, new TypedRestRun(again, directory.Path));
        }
    }

    [Fact]
    public void Bytes_DisposedAtAnyMoment_NothingIsLostOrStale()
    {
        for (int round = 0; round < 15; round++)
        {
            using var directory = new TestDirectory();
            var cache = BytesRestRun.Open(directory.Path);
            var run = new BytesRestRun(cache, directory.Path);
            run.GoUntilDisposed(round);
            using var again = BytesRestRun.Open(directory.Path);
            AssertRight(run, new BytesRestRun(again, directory.Path));
        }
    }

    private void RunTyped(Duration duration, int mostPatience = 0)
    {
        TypedRestRun run;
        using (var cache = TypedRestRun.Open(_directory.Path))
        {
            if (mostPatience > 0) cache.Tiers.Device!.Fault = new SlowDisk().Fails;
            run = new TypedRestRun(cache, _directory.Path) { MostPatience = mostPatience };
            run.Go(duration);
            cache.Tiers.Device!.Fault = null;
            run.JudgeAll("at the end");
        }

        using var again = TypedRestRun.Open(_directory.Path);
        AssertRight(run, new TypedRestRun(again, _directory.Path));
    }

    private void RunBytes(Duration duration, int mostPatience = 0)
    {
        BytesRestRun run;
        using (var cache = BytesRestRun.Open(_directory.Path))
        {
            if (mostPatience > 0) cache.Tiers.Device!.Fault = new SlowDisk().Fails;
            run = new BytesRestRun(cache, _directory.Path) { MostPatience = mostPatience };
            run.Go(duration);
            cache.Tiers.Device!.Fault = null;
            run.JudgeAll("at the end");
        }

        using var again = BytesRestRun.Open(_directory.Path);
        AssertRight(run, new BytesRestRun(again, _directory.Path));
    }

    private void AssertRight(RestRun run, RestRun again)
    {
        again.JudgeAsAfter(run);
        output.WriteLine($"{run.Rests} checkpoints, {run.Copies} copies judged");
        Assert.True(run.Violations.Count == 0, string.Join('\n', run.Violations.Take(20)));
        Assert.True(again.Violations.Count == 0, string.Join('\n', again.Violations.Take(20)));
    }

    /// <summary>Some writes take long, none fails.</summary>
    private sealed class SlowDisk
    {
        private int _requests;

        public bool Fails(IoRequest request)
        {
            if (request.Kind == IoKind.Write && Interlocked.Increment(ref _requests) % 3 == 0) Thread.Sleep(_requests % 40);
            return false;
        }
    }
}
