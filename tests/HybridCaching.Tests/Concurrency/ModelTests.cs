using FsCheck;
using FsCheck.Fluent;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Concurrency;

/// <summary>Random sequences of calls, restarts and passing time give what a dictionary with deadlines gives, as long as nothing has to leave.</summary>
public sealed class ModelTests
{
    private const int Keys = 8;

    private static readonly Gen<ModelStep> AnyStep =
        from call in Gen.Frequency(
            (6, Gen.Constant(ModelCall.Set)), (4, Gen.Constant(ModelCall.TryAdd)), (6, Gen.Constant(ModelCall.TryGet)), (1, Gen.Constant(ModelCall.TryGetFromMemory)),
            (2, Gen.Constant(ModelCall.ContainsKey)), (4, Gen.Constant(ModelCall.Remove)), (4, Gen.Constant(ModelCall.Touch)), (2, Gen.Constant(ModelCall.GetOrAdd)),
            (1, Gen.Constant(ModelCall.Clear)), (5, Gen.Constant(ModelCall.Advance)), (1, Gen.Constant(ModelCall.Restart)))
        from key in Gen.Choose(0, Keys - 1)
        from number in Gen.Choose(0, 5)
        select new ModelStep(call, key, number);

    private static readonly Arbitrary<ModelStep[]> AnySequence = Arb.From(AnyStep.ArrayOf(60), ModelSequence.Shrink);

    [Fact]
    public void Calls_InMemoryOnly_GiveWhatTheModelGives() =>
        Check.One(Config.QuickThrowOnFailure.WithMaxTest(60), Prop.ForAll(AnySequence, steps => Run(steps, directory: null)));

    [Fact]
    public void Calls_WithRestarts_GiveWhatTheModelGives() => Check.One(Config.QuickThrowOnFailure.WithMaxTest(25), Prop.ForAll(AnySequence, steps =>
    {
        using var directory = new TestDirectory();
        Run(steps, directory.Path);
    }));

    private static void Run(ModelStep[] steps, string? directory)
    {
        var clock = new ManualTimeProvider();
        var model = new CacheModel(clock);
        var cache = Open(directory, clock);
        try
        {
            foreach (var step in steps)
            {
                if (step.Call != ModelCall.Restart)
                {
                    Take(step, cache, model, clock);
                }
                else if (directory is not null)
                {
                    cache.Dispose();
                    cache = Open(directory, clock);
                }

                for (long key = 0; key < Keys; key++) Assert.Equal(model.Get(key), cache.TryGet(key, out long value) ? value : null);
            }
        }
        finally
        {
            cache.Dispose();
        }
    }

    private static void Take(ModelStep step, FasterCache<long, long> cache, CacheModel model, ManualTimeProvider clock)
    {
        long key = step.Key;
        long value = step.Number;
        var timeToLive = step.TimeToLive;
        switch (step.Call)
        {
            case ModelCall.Set:
                cache.Set(key, in value, timeToLive);
                model.Set(key, value, timeToLive);
                break;
            case ModelCall.TryAdd:
                Assert.Equal(model.TryAdd(key, value, timeToLive), cache.TryAdd(key, in value, timeToLive));
                break;
            case ModelCall.TryGet:
                Assert.Equal(model.Get(key), cache.TryGet(key, out long found) ? found : null);
                break;
            case ModelCall.TryGetFromMemory:
                if (cache.TryGetFromMemory(key, out long inMemory)) Assert.Equal(model.Get(key), inMemory);
                break;
            case ModelCall.ContainsKey:
                Assert.Equal(model.Get(key) is not null, cache.ContainsKey(key));
                break;
            case ModelCall.Remove:
                Assert.Equal(model.Remove(key), cache.Remove(key));
                break;
            case ModelCall.Touch:
                Assert.Equal(model.Touch(key, timeToLive), cache.Touch(key, timeToLive));
                break;
            case ModelCall.GetOrAdd:
                model.TryAdd(key, value, timeToLive);
                Assert.Equal(model.Get(key), cache.GetOrAdd(key, _ => value, timeToLive));
                break;
            case ModelCall.Clear:
                cache.Clear();
                model.Clear();
                break;
            default:
                clock.Advance(step.Pause);
                break;
        }
    }

    private static FasterCache<long, long> Open(string? directory, TimeProvider clock) => new(new FasterCacheOptions
    {
        Directory = directory,
        MemoryBudget = "12MB",
        DiskBudget = "16MB",
        DiskTimeout = Until.Deadline,
        WhenDirectoryUnavailable = DirectoryUnavailable.Throw,
        TimeProvider = clock,
    });
}
