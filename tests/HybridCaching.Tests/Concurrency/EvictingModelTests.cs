using FsCheck;
using FsCheck.Fluent;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Concurrency;

/// <summary>Random sequences of calls, restarts, and so much of other keys that what was stored leaves memory, is moved within the disk and leaves that: what is found is what a dictionary with deadlines gives, or a miss, never anything older.</summary>
public sealed class EvictingModelTests
{
    private const int Keys = 8;
    private const long FirstOther = 1L << 40;

    /// <summary>Several times what memory holds, a part of what the disk does.</summary>
    private const int Others = 100_000;

    private static readonly Gen<ModelStep> AnyStep =
        from call in Gen.Frequency(
            (6, Gen.Constant(ModelCall.Set)), (4, Gen.Constant(ModelCall.TryAdd)), (6, Gen.Constant(ModelCall.TryGet)), (4, Gen.Constant(ModelCall.Remove)), (3, Gen.Constant(ModelCall.Touch)),
            (3, Gen.Constant(ModelCall.GetOrAdd)), (1, Gen.Constant(ModelCall.Clear)), (3, Gen.Constant(ModelCall.Advance)), (1, Gen.Constant(ModelCall.Restart)), (8, Gen.Constant(ModelCall.PushOut)))
        from key in Gen.Choose(0, Keys - 1)
        from number in Gen.Choose(0, 5)
        select new ModelStep(call, key, number);

    [Fact]
    public void Calls_WhatIsStoredLeavesMemoryAndDisk_NeverGiveAnythingOlder() => Check.One(Config.QuickThrowOnFailure.WithMaxTest(12), Prop.ForAll(Arb.From(AnyStep.ArrayOf(80)), Run));

    private static void Run(ModelStep[] steps)
    {
        using var directory = new TestDirectory();
        var clock = new ManualTimeProvider();
        var model = new CacheModel(clock);
        long others = FirstOther;
        long values = 0;
        var cache = Open(directory.Path, clock);
        try
        {
            foreach (var step in steps)
            {
                if (step.Call == ModelCall.Restart)
                {
                    cache.Dispose();
                    cache = Open(directory.Path, clock);
                }
                else if (step.Call == ModelCall.PushOut)
                {
                    for (long end = others + Others; others < end; others++) cache.Set(others, others);
                }
                else
                {
                    Take(step, ++values, cache, model, clock); // no value comes twice: an older one is known for that
                }

                for (long key = step.Number % 2; key < Keys; key += 2) AssertIsNewest(cache, model, key); // those that are not read have no copies
            }

            for (long key = 0; key < Keys; key++) AssertIsNewest(cache, model, key);
        }
        finally
        {
            cache.Dispose();
        }
    }

    private static void AssertIsNewest(FasterCache<long, long> cache, CacheModel model, long key)
    {
        if (cache.TryGet(key, out long value)) Assert.Equal(model.Get(key), value);
    }

    private static void Take(ModelStep step, long value, FasterCache<long, long> cache, CacheModel model, ManualTimeProvider clock)
    {
        long key = step.Key;
        var timeToLive = step.TimeToLive;
        switch (step.Call)
        {
            case ModelCall.Set:
                cache.Set(key, in value, timeToLive);
                model.Set(key, value, timeToLive);
                break;
            case ModelCall.TryAdd:
                if (cache.TryAdd(key, in value, timeToLive)) model.Set(key, value, timeToLive);
                else Assert.NotNull(model.Get(key));
                break;
            case ModelCall.Remove:
                if (cache.Remove(key)) Assert.NotNull(model.Get(key));
                model.Remove(key);
                break;
            case ModelCall.Touch:
                if (cache.Touch(key, timeToLive)) Assert.True(model.Touch(key, timeToLive));
                break;
            case ModelCall.GetOrAdd:
                if (cache.GetOrAdd(key, _ => value, timeToLive) is var found && found == value) model.Set(key, value, timeToLive);
                else Assert.Equal(model.Get(key), found);
                break;
            case ModelCall.Clear:
                cache.Clear();
                model.Clear();
                break;
            case ModelCall.Advance:
                clock.Advance(step.Pause);
                break;
            default:
                AssertIsNewest(cache, model, key);
                break;
        }
    }

    private static FasterCache<long, long> Open(string directory, TimeProvider clock) => new(new FasterCacheOptions
    {
        Directory = directory,
        MemoryBudget = "8MB",
        DiskBudget = "12MB",
        DiskTimeout = Until.Deadline,
        WhenDirectoryUnavailable = DirectoryUnavailable.Throw,
        TimeProvider = clock,
    });
}
