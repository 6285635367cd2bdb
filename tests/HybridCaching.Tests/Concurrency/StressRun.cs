using System.Collections.Concurrent;
using System.Diagnostics;
using HybridCaching.Diagnostics;
using HybridCaching.HotTier;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Concurrency;

/// <summary>Everything at once for a while: eight threads call everything there is on all keys, each writes those it owns, the disk comes and goes, and every value read is judged.</summary>
internal sealed class StressRun(FasterCache<long, Quint> cache, StressHistory history, Duration duration, int seed)
{
    public const int Threads = 8;

    private const int HotKeys = 64;
    private const int WarmKeys = 8_192;
    private const int SecondsPerClear = 5;
    private const int ClearsAtOnce = 64;

    /// <summary>A choice of <see cref="Write"/> that is a set.</summary>
    private const int StoreAlways = 27;

    private readonly ConcurrentQueue<string> _violations = new();
    private readonly StressDisk _disk = new(seed, longDelay: 3 * cache.Tiers.Settings.DiskTimeout);
    private readonly long _start = Stopwatch.GetTimestamp();
    private readonly StripedCounter _hits = new();

    public IReadOnlyCollection<string> Violations => _violations;

    /// <summary>How many entries at most were seen to be in their copy alone.</summary>
    public long MostUnlogged { get; private set; }

    public long Hits => _hits.Sum();

    /// <summary>Damages what is on the disk, once a second; null if it is left as it is.</summary>
    public DiskDamage? Damage { get; init; }

    public void Go()
    {
        JudgeAll();
        Crew.Run(Threads, me =>
        {
            var random = new Random((seed * Threads) + me);
            StoreOwn(me, random); // what is stored again and again takes no room on the disk
            for (int second = 0; !IsOver;)
            {
                if (me == 0 && (int)Stopwatch.GetElapsedTime(_start).TotalSeconds is var now && now != second) KeepTime(second = now);
                for (int i = 0; i < 64; i++) Call(me, random);
            }
        });
        cache.Tiers.Device!.Fault = null;
        JudgeAll();
    }

    private bool IsOver => duration.IsOver || _violations.Count > 20;

    /// <summary>Once a second: the disk is bad for two of three, all is cleared once in five, and the budgets always hold.</summary>
    private void KeepTime(int second)
    {
        MostUnlogged = Math.Max(MostUnlogged, PrivateField.Of<HotRows>(cache.Tiers, "_rows").UnloggedCopies);
        cache.Tiers.Device!.Fault = second % 3 == 0 ? null : _disk.Fails;
        for (int clear = second % SecondsPerClear == SecondsPerClear - 1 ? ClearsAtOnce : 0; clear > 0; clear--) history.Clear(cache.Clear);
        Damage?.Go();
        var statistics = cache.GetStatistics();
        if (statistics.DiskUsage > statistics.DiskBudget) _violations.Enqueue($"{statistics.DiskUsage} bytes of disk, though {statistics.DiskBudget} are allowed");
        var memory = cache.GetMemoryUsage();
        if (memory.Total > memory.Budget) _violations.Enqueue($"{memory}: more memory than allowed");
        if (Damage is null && statistics.CorruptEntries > 0) _violations.Enqueue($"{statistics.CorruptEntries} corrupt entries, though the disk has damaged none");
    }

    private void Call(int me, Random random)
    {
        int key = NextKey(random);
        int choice = random.Next(100);
        if (choice < 28) Write(Own(key, me), me, choice, random);
        else if (choice < 32) cache.Touch(key, random.Next(8) == 0 ? TimeSpan.FromMilliseconds(1 + random.Next(20)) : TimeSpan.FromHours(1));
        else if (choice < 42) GetOrAdd(key, isAsync: choice < 34);
        else Read(key, choice);
    }

    private void Write(int key, int me, int choice, Random random)
    {
        long number = history.Begin(key);
        var value = Quint.Of(key, me, number);
        TimeSpan? timeToLive = random.Next(16) == 0 ? TimeSpan.FromMilliseconds(1 + random.Next(50)) : null;
        if (choice < 4) cache.Remove(key);
        else if (choice < 8) number = cache.TryAdd(key, in value, timeToLive) ? number : 0;
        else cache.Set(key, in value, timeToLive);
        if (number > 0) history.End(key, number);
        Read(key, choice: 50);
    }

    /// <summary>Stores all keys of a writer, which are more than memory and disk hold.</summary>
    private void StoreOwn(int me, Random random)
    {
        for (int key = me; key < history.Keys; key += Threads) Write(key, me, choice: StoreAlways, random);
    }

    private void GetOrAdd(int key, bool isAsync)
    {
        var floor = history.FloorOf(key);
        var value = isAsync
            ? cache.GetOrAddAsync(key, (k, _) => ValueTask.FromResult(Make((int)k))).AsTask().GetAwaiter().GetResult()
            : cache.GetOrAdd(key, k => Make((int)k));
        Judge(key, in value, floor, isStored: false);
    }

    /// <summary>A factory that is held up now and then: what it makes is then likelier to be out of date.</summary>
    private Quint Make(int key)
    {
        var made = history.Make(key);
        if ((made.Check & 3) == 0) Thread.Yield();
        return made;
    }

    private void Read(int key, int choice)
    {
        var floor = history.FloorOf(key);
        Quint value;
        if (choice < 47)
        {
            if (cache.GetAsync(key).AsTask().GetAwaiter().GetResult() is not { } found) return;
            value = found;
        }
        else if (!(choice > 94 ? cache.TryGetFromMemory(key, out value) : cache.TryGet(key, out value)))
        {
            return;
        }

        Judge(key, in value, floor, isStored: true);
    }

    private void JudgeAll()
    {
        for (int key = 0; key < history.Keys; key++) Read(key, choice: 50);
    }

    private void Judge(int key, in Quint value, StressHistory.Floor floor, bool isStored)
    {
        _hits.Increment();
        if (history.Judge(key, in value, floor, isStored) is { } violation) _violations.Enqueue(violation);
    }

    private int NextKey(Random random) => random.Next(8) switch
    {
        < 2 => random.Next(HotKeys),
        < 5 => random.Next(WarmKeys),
        _ => random.Next(history.Keys),
    };

    private static int Own(int key, int me) => (key / Threads * Threads) + me;
}
