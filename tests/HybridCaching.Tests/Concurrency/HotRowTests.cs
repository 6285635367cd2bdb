using HybridCaching.Devices;
using HybridCaching.HotTier;
using HybridCaching.Store;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Concurrency;

/// <summary>Calls on a key on a slow disk, whose row changes all the time because its other keys are written again and again.</summary>
public sealed class HotRowTests : IDisposable
{
    private const long Cold = 400;

    private static readonly TimeSpan Lifetime = TimeSpan.FromHours(1);

    private readonly TestDirectory _directory = new();
    private readonly ManualTimeProvider _clock = new();
    private readonly FasterCache<long, Stamp> _cache;
    private readonly List<Thread> _writers;

    /// <summary>Of the row of the key.</summary>
    private readonly long[] _neighbours;
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
        _neighbours = NeighboursOf(Cold, 3);
        _writers = _neighbours.Select(neighbour => Crew.Start(() =>
        {
            for (long i = 0; !Volatile.Read(ref _over); i++) _cache.Set(neighbour, Stamp.Of(neighbour, i));
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
    public void AddOrUpdate_RowChangesAllTheTime_UpdatesWhatIsThere()
    {
        Crew.MustEnd("AddOrUpdate", () => _cache.AddOrUpdate(
            Cold,
            static _ => throw new InvalidOperationException("it is there"),
            (key, _) =>
            {
                AwaitChangeOfRow();
                return Stamp.Of(key, 9);
            }));
        Assert.True(_cache.TryGet(Cold, out var value));
        Assert.Equal(Stamp.Of(Cold, 9), value);
    }

    [Fact]
    public void AddOrUpdate_KeyIsOverwrittenAndRowChangesAllTheTime_LosesNoUpdate()
    {
        const long Added = Cold + 4_000_000; // of another row, which its neighbour changes
        long other = NeighboursOf(Added, 1)[0];
        using var over = new CancellationTokenSource();
        var neighbour = Crew.Start(() =>
        {
            for (long i = 0; !over.IsCancellationRequested; i++) _cache.Set(other, Stamp.Of(other, i));
        });
        Crew.MustEnd("AddOrUpdate", () => Crew.Run(3, _ =>
        {
            for (int i = 0; i < 1000; i++) _cache.AddOrUpdate(Added, static key => Stamp.Of(key, 1), static (key, old) => Stamp.Of(key, old.Version + 1));
        }));
        over.Cancel();
        neighbour.Join();
        Assert.True(_cache.TryGet(Added, out var value));
        Assert.Equal(Stamp.Of(Added, 3000), value);
    }

    [Fact]
    public void Set_RowChangesAllTheTime_IsThere()
    {
        Crew.MustEnd("Set", () => _cache.Set(Cold, Stamp.Of(Cold, 3)));
        Assert.True(_cache.TryGet(Cold, out var value));
        Assert.Equal(Stamp.Of(Cold, 3), value);
    }

    private void AwaitChangeOfRow()
    {
        _cache.TryGet(_neighbours[0], out var before);
        Until.True(() => _cache.TryGet(_neighbours[0], out var value) && !value.Equals(before), "a neighbour is overwritten");
    }

    /// <summary>Keys that lie in the row of another, none of them stored.</summary>
    private long[] NeighboursOf(long key, int count)
    {
        var hasher = PrivateField.Of<KeyHasher>(_cache.Tiers, "_hasher");
        var rows = PrivateField.Of<HotRows>(_cache.Tiers, "_rows");
        return [.. Enumerable.Range(0, int.MaxValue).Select(i => 10_000_000L + i).Where(other => RowOf(other) == RowOf(key)).Take(count)];

        ulong RowOf(long other) => rows.RowIndexOf(hasher.Hash(in other));
    }
}
