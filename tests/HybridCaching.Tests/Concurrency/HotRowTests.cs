using HybridCaching.Devices;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Concurrency;

/// <summary>Calls on a key on a slow disk, whose row changes all the time because its other keys are written again and again.</summary>
public sealed class HotRowTests : IDisposable
{
    /// <summary>Keys 4n to 4n + 3 lie in one row.</summary>
    private const long Cold = 400;

    private static readonly TimeSpan Lifetime = TimeSpan.FromHours(1);

    private readonly TestDirectory _directory = new();
    private readonly ManualTimeProvider _clock = new();
    private readonly FasterCache<long, Stamp> _cache;
    private readonly List<Thread> _writers;
    private bool _over;

    public HotRowTests()
    {
        _cache = ColdCache.Open(_directory.Path, change: o =>
        {
            o.TimeProvider = _clock;
            o.DefaultTimeToLive = Lifetime;
        });
        _cache.Tiers.Device!.Fault = static request =>
        {
            if (request.Kind == IoKind.Read) Thread.Sleep(20);
            return false;
        };
        _writers = Enumerable.Range(1, 3).Select(neighbour => Crew.Start(() =>
        {
            for (long i = 0; !Volatile.Read(ref _over); i++) _cache.Set(Cold + neighbour, Stamp.Of(Cold + neighbour, i));
        })).ToList();
    }

    public void Dispose()
    {
        Volatile.Write(ref _over, true);
        _writers.ForEach(writer => writer.Join());
        _cache.Dispose();
        _directory.Dispose();
    }

    [Fact]
    public void Touch_RowChangesAllTheTime_Ends() => Crew.MustEnd("Touch", () => _cache.Touch(Cold, 2 * Lifetime));

    [Fact]
    public void TryAdd_EntryThereAndRowChangesAllTheTime_IsFalse() => Crew.MustEnd("TryAdd", () => Assert.False(_cache.TryAdd(Cold, Stamp.Of(Cold, 2))));

    [Fact]
    public void TryAdd_EntryExpiredAndRowChangesAllTheTime_Ends()
    {
        _clock.Advance(2 * Lifetime);
        Crew.MustEnd("TryAdd", () => _cache.TryAdd(Cold, Stamp.Of(Cold, 2)));
    }

    [Fact]
    public void Remove_RowChangesAllTheTime_Removes()
    {
        Crew.MustEnd("Remove", () => _cache.Remove(Cold));
        Assert.False(_cache.TryGet(Cold, out _));
    }

    [Fact]
    public void Set_RowChangesAllTheTime_IsThere()
    {
        Crew.MustEnd("Set", () => _cache.Set(Cold, Stamp.Of(Cold, 3)));
        Assert.True(_cache.TryGet(Cold, out var value));
        Assert.Equal(Stamp.Of(Cold, 3), value);
    }
}
