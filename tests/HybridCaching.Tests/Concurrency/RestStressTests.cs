using HybridCaching.Devices;
using HybridCaching.Tests.Distributed;

namespace HybridCaching.Tests.Concurrency;

/// <summary>Checkpoints beside everything else.</summary>
public sealed class RestStressTests(ITestOutputHelper output) : IDisposable
{
    private const double Seconds = 3;

    private readonly TestDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public void Typed_CheckpointsAgainAndAgain_NothingIsLostOrStale() => Run(Typed, Duration.Of(Seconds));

    [Fact]
    public void Bytes_CheckpointsAgainAndAgain_NothingIsLostOrStale() => Run(Bytes, Duration.Of(Seconds));

    [Fact]
    [Trait("Category", "Soak")]
    public void Typed_CheckpointsAgainAndAgainForLong_NothingIsLostOrStale() => Run(Typed, Duration.OfSoak());

    [Fact]
    [Trait("Category", "Soak")]
    public void Bytes_CheckpointsAgainAndAgainForLong_NothingIsLostOrStale() => Run(Bytes, Duration.OfSoak());

    [Fact]
    public void Typed_CheckpointsGivenUpOnASlowDisk_NothingIsLostOrStale() => Run(Typed, Duration.Of(Seconds), mostPatience: 60);

    [Fact]
    public void Bytes_CheckpointsGivenUpOnASlowDisk_NothingIsLostOrStale() => Run(Bytes, Duration.Of(Seconds), mostPatience: 60);

    [Fact]
    public void Typed_DisposedAtAnyMoment_NothingIsLostOrStale() => RunUntilDisposed(Typed);

    [Fact]
    public void Bytes_DisposedAtAnyMoment_NothingIsLostOrStale() => RunUntilDisposed(Bytes);

    private static RestRun Typed(string directory, int mostPatience) => new TypedRestRun(TypedRestRun.Open(directory), directory) { MostPatience = mostPatience };

    private static RestRun Bytes(string directory, int mostPatience) => new BytesRestRun(BytesRestRun.Open(directory), directory) { MostPatience = mostPatience };

    private void Run(Func<string, int, RestRun> open, Duration duration, int mostPatience = 0)
    {
        var run = open(_directory.Path, mostPatience);
        using (run)
        {
            if (mostPatience > 0) run.Device.Fault = new SlowDisk().Fails;
            run.Go(duration);
            run.Device.Fault = null;
            run.JudgeAll("at the end");
        }

        using var again = open(_directory.Path, 0);
        AssertRight(run, again);
    }

    private void RunUntilDisposed(Func<string, int, RestRun> open)
    {
        for (int round = 0; round < 15; round++)
        {
            using var directory = new TestDirectory();
            var run = open(directory.Path, 0);
            run.GoUntilDisposed(round);
            using var again = open(directory.Path, 0);
            AssertRight(run, again);
        }
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
