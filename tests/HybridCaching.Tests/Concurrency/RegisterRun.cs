using System.Collections.Concurrent;

namespace HybridCaching.Tests.Concurrency;

/// <summary>Writers that own their keys, and readers, touchers and clearers of all keys, for a while; every hit is judged.</summary>
internal sealed class RegisterRun(FasterCache<long, Quint> cache, RegisterHistory history, Duration duration)
{
    private const int HotKeys = 64;

    private readonly ConcurrentQueue<string> _violations = new();
    private long _hits;

    public int Writers { get; init; } = 3;

    public int Readers { get; init; } = 3;

    /// <summary>Threads that give entries another time to live, which stores them again.</summary>
    public int Touchers { get; init; }

    /// <summary>Whether one more thread clears the cache again and again.</summary>
    public bool Clears { get; init; }

    /// <summary>Whether what a writer has just set must be there: not where the cache may have lost it.</summary>
    public bool LosesNothing { get; init; }

    public IReadOnlyCollection<string> Violations => _violations;

    public long Hits => Interlocked.Read(ref _hits);

    public void Go() => Crew.Run(Writers + Readers + Touchers + (Clears ? 1 : 0), me =>
    {
        var random = new Random(me);
        if (me < Writers) Write(me, random);
        else if (me < Writers + Readers) Read(random, isAsync: (me & 1) == 0);
        else if (me < Writers + Readers + Touchers) Touch(random);
        else Clear();
    });

    private void Write(int me, Random random)
    {
        while (!IsOver)
        {
            int key = (NextKey(random) / Writers * Writers) + me;
            if (key >= history.Keys) continue;
            long number = history.Begin(key);
            bool remove = random.Next(8) == 0;
            var value = Quint.Of(key, me, number);
            if (remove) cache.Remove(key);
            else if (random.Next(16) != 0) cache.Set(key, in value);
            else if (!cache.TryAdd(key, in value)) continue;
            history.End(key, number);

            // The writer's own operation shows at once.
            long floor = history.Floor(key);
            bool hit = cache.TryGet(key, out var read);
            if (hit) Judge(key, in read, floor);
            else if (LosesNothing && !remove) _violations.Enqueue($"key {key}: {number} is not there for its own writer");
        }
    }

    private void Read(Random random, bool isAsync)
    {
        for (int i = 0; !IsOver; i++)
        {
            int key = NextKey(random);
            long floor = history.Floor(key);
            Quint value = default;
            bool hit;
            if (isAsync)
            {
                var found = cache.GetAsync(key).AsTask().GetAwaiter().GetResult();
                hit = found is not null;
                if (hit) value = found!.Value;
            }
            else
            {
                hit = (i & 3) == 0 ? cache.TryGetFromMemory(key, out value) : cache.TryGet(key, out value);
            }

            if (hit) Judge(key, in value, floor);
        }
    }

    private void Touch(Random random)
    {
        while (!IsOver) cache.Touch(NextKey(random), TimeSpan.FromHours(1));
    }

    private void Clear()
    {
        while (!IsOver)
        {
            history.Clear(cache.Clear);
            Thread.Sleep(5);
        }
    }

    private bool IsOver => duration.IsOver || _violations.Count > 20;

    private int NextKey(Random random) => random.Next(4) == 0 ? random.Next(Math.Min(HotKeys, history.Keys)) : random.Next(history.Keys);

    private void Judge(int key, in Quint value, long floor)
    {
        Interlocked.Increment(ref _hits);
        if (history.Judge(key, in value, floor) is { } violation) _violations.Enqueue(violation);
    }
}
