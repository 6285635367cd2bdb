using System.Diagnostics;
using System.Diagnostics.Metrics;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Diagnostics;

/// <summary>Who listens is somebody else's code, called on threads of the cache: on some of them, what it throws would end the process, and the test with it.</summary>
public sealed class ThrowingListenerTests : IDisposable
{
    private readonly TestDirectory _directory = new();
    private readonly string _name = $"heard-{Guid.NewGuid():N}"[..30];

    public void Dispose() => _directory.Dispose();

    [Fact]
    public async Task MeterListener_Throws_CacheGoesOn()
    {
        using var listener = new MeterListener
        {
            InstrumentPublished = static (instrument, me) =>
            {
                if (instrument.Name is "hybridcaching.disk.operation.duration" or "hybridcaching.checkpoint.duration") me.EnableMeasurementEvents(instrument);
            },
        };
        listener.SetMeasurementEventCallback<double>((_, _, tags, _) =>
        {
            foreach (var tag in tags)
            {
                if (_name.Equals(tag.Value)) throw new InvalidOperationException("a listener");
            }
        });
        listener.Start();

        await AssertWorksAsync();
    }

    [Fact]
    public void MeterListener_ThrowsWhenInstrumentsAppear_LeavesTheFolderFree()
    {
        using (var listener = new MeterListener())
        {
            int me = 0; // once it has heard of those that other tests have published
            listener.InstrumentPublished = (instrument, _) =>
            {
                if (Environment.CurrentManagedThreadId == me && instrument.Name == "hybridcaching.requests") throw new InvalidOperationException("a listener");
            };
            listener.Start();
            me = Environment.CurrentManagedThreadId;
            Assert.Throws<InvalidOperationException>(Open);
        }

        using var again = StampCache.Open(_directory.Path, change: o => (o.Name, o.WhenDirectoryUnavailable) = (_name, DirectoryUnavailable.Throw));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task ActivityListener_Throws_CacheGoesOn(bool atStart)
    {
        using var listener = new ActivityListener
        {
            ShouldListenTo = static source => source.Name == "HybridCaching",
            Sample = static (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllData,
            ActivityStarted = activity => ThrowIf(atStart, activity),
            ActivityStopped = activity => ThrowIf(!atStart, activity),
        };
        ActivitySource.AddActivityListener(listener);

        await AssertWorksAsync();

        // A tag is set only after the start.
        void ThrowIf(bool isDue, Activity activity)
        {
            if (isDue && (atStart ? activity.OperationName == "hybridcaching.checkpoint" : _name.Equals(activity.GetTagItem("hybridcaching.cache.name")))) throw new InvalidOperationException("a listener");
        }
    }

    private async Task AssertWorksAsync()
    {
        using (var cache = Open())
        {
            cache.Fill(0, 100_000, version: 1);
            await cache.FlushAsync(TestContext.Current.CancellationToken);
            Assert.Equal(100_000, cache.CountHits(0, 100_000, version: 1));
        }

        using var again = Open();
        Assert.Equal(100_000, again.CountHits(0, 100_000, version: 1));
    }

    private FasterCache<long, Stamp> Open() => StampCache.Open(_directory.Path, change: o => (o.Name, o.DiskIo, o.MemoryBudget) = (_name, DiskIo.Direct, "12MB"));
}
