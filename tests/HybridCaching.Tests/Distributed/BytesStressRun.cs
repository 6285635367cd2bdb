using System.Buffers;
using System.Collections.Concurrent;
using System.Diagnostics;
using HybridCaching.Diagnostics;
using HybridCaching.HotTier;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;
using Microsoft.Extensions.Caching.Distributed;

namespace HybridCaching.Tests.Distributed;

/// <summary>Everything at once for a while: eight threads call everything there is on all keys, each writes those it owns, and every value read is judged.</summary>
internal sealed class BytesStressRun(FasterDistributedCache cache, BytesHistory history, Duration duration, int seed)
{
    public const int Threads = 8;

    private const int Groups = 16;
    private const int DawdlesOneIn = 8;
    private const int ThrowsOneIn = 64;
    private const int ClearsAtOnce = 8;

    /// <summary>A scan has the log get what only copies have.</summary>
    private const int StepsPerScan = 50;
    private static readonly TimeSpan Piece = TimeSpan.FromMilliseconds(700);

    private readonly ConcurrentQueue<string> _violations = new();
    private readonly StripedCounter _hits = new();
    private readonly long _start = Stopwatch.GetTimestamp();

    /// <summary>Makes the disk bad for two of three pieces of time.</summary>
    public StressDisk? Disk { get; init; }

    /// <summary>Damages what is on the disk, once in each piece of time; null if it is left as it is.</summary>
    public DiskDamage? Damage { get; init; }

    /// <summary>The longest value.</summary>
    public int LongestValue { get; init; } = BytesCache.LargestValue;

    /// <summary>Whether all values of a key are as long, many keys are stored again and again, and nothing is cleared: then what is stored again may be in its copy alone.</summary>
    public bool IsSteady { get; init; }

    /// <summary>How many entries at most were seen to be in their copy alone.</summary>
    public long MostUnlogged { get; private set; }

    public IReadOnlyCollection<string> Violations => _violations;

    public long Hits => _hits.Sum();

    /// <summary>A few hundred keys, in groups with a prefix each; the groups have keys of every thread.</summary>
    public static string[] Names(int keys) => [.. Enumerable.Range(0, keys).Select(key => $"{Prefix(key / Threads % Groups)}{key}{(key % 5 == 0 ? "-schlüssel" : "")}")];

    public void Go()
    {
        ReadAll();
        Crew.Run(Threads, me =>
        {
            var random = new Random((seed * Threads) + me);
            var span = new byte[LongestValue / 2];
            var writer = new BytesWriter(pieceBytes: 3000 + (1000 * me));
            for (int piece = 0; !IsOver;)
            {
                if (me == 0) CheckBudgets();
                if (me == 0 && (int)(Stopwatch.GetElapsedTime(_start) / Piece) is var now && now != piece) KeepTime(piece = now);
                Call(me, random, span, writer);
            }
        });
        if (Disk is not null) cache.Tiers.Device!.Fault = null;
        ReadAll();
    }

    private static string Prefix(int group) => $"group-{group:00}:";

    private int HotKeys => IsSteady ? 2_000 : 24;

    private bool IsOver => duration.IsOver || _violations.Count > 20;

    /// <summary>The disk is bad for two pieces of time of three, and all is cleared once in two.</summary>
    private void KeepTime(int piece)
    {
        if (Disk is not null) cache.Tiers.Device!.Fault = piece % 3 == 0 ? null : Disk.Fails;
        Damage?.Go();
        for (int clear = piece % 2 == 0 && !IsSteady ? ClearsAtOnce : 0; clear > 0; clear--) history.RemoveMany("", cache.Clear);
    }

    private void CheckBudgets()
    {
        MostUnlogged = Math.Max(MostUnlogged, PrivateField.Of<HotRows>(cache.Tiers, "_rows").UnloggedCopies);
        var memory = cache.GetMemoryUsage();
        if (memory.Total > memory.Budget) _violations.Enqueue($"{memory}: more memory than allowed");
        var statistics = cache.GetStatistics();
        if (statistics.DiskUsage > statistics.DiskBudget) _violations.Enqueue($"{statistics.DiskUsage} bytes of disk, though {statistics.DiskBudget} are allowed");
        if (Damage is null && statistics.CorruptEntries > 0) _violations.Enqueue($"{statistics.CorruptEntries} corrupt entries, though the disk has damaged none");
    }

    private void Call(int me, Random random, byte[] span, BytesWriter writer)
    {
        int key = NextKey(random);
        int choice = random.Next(1000);
        if (choice < 250) Write((key / Threads * Threads) + me, me, random);
        else if (choice < 290) cache.Refresh(history.NameOf(key));
        else if (choice < 320) cache.RefreshAsync(history.NameOf(key)).GetAwaiter().GetResult();
        else if (choice < 330) ReadMany(random);
        else if (choice == 330 && (!IsSteady || random.Next(StepsPerScan) == 0)) Rarely(random);
        else Read(key, random, span, writer);
    }

    private void Write(int key, int me, Random random)
    {
        string name = history.NameOf(key);
        long number = history.Begin(key);
        int how = random.Next(8);
        if (how == 0) cache.Remove(name);
        else if (how == 1 && random.Next(2) == 0) cache.RemoveAsync(name).GetAwaiter().GetResult();
        else Set(name, BytesValue.Of(name, me, number, BytesValue.AnyLength(IsSteady ? new Random(key) : random, most: LongestValue)), how, LifetimeOf(random));
        history.End(key, number);

        // The writer's own operation shows at once.
        long floor = history.Floor(key);
        if (cache.Get(name) is { } value) Judge(key, value, floor);
    }

    private void Set(string name, byte[] value, int how, DistributedCacheEntryOptions lifetime)
    {
        switch (how)
        {
            case 2: cache.SetAsync(name, value, lifetime).GetAwaiter().GetResult(); break;
            case 3: cache.Set(name, InPieces(value), lifetime); break;
            case 4: cache.SetAsync(name, InPieces(value), lifetime).AsTask().GetAwaiter().GetResult(); break;
            default: cache.Set(name, value, lifetime); break;
        }

        value.AsSpan().Clear(); // the cache has its own copy
    }

    private static ReadOnlySequence<byte> InPieces(byte[] value)
    {
        var first = new Segment(value.AsMemory(0, value.Length / 3), 0);
        var last = first.Append(value.AsMemory(value.Length / 3, value.Length / 3)).Append(value.AsMemory(value.Length / 3 * 2));
        return new ReadOnlySequence<byte>(first, 0, last, last.Memory.Length);
    }

    private void Rarely(Random random)
    {
        int group = random.Next(Groups);
        if (random.Next(4) == 0) RemoveGroup(group);
        else Scan(group, onlyKeys: random.Next(2) == 0);
    }

    private void RemoveGroup(int group) => history.RemoveMany(Prefix(group), () => cache.RemoveByPrefixAsync(Prefix(group)).Await());

    private void Scan(int group, bool onlyKeys)
    {
        if (onlyKeys)
        {
            foreach (string name in cache.ScanKeysAsync($"{Prefix(group)}*").ToListBlocking()) CheckName(name, group);
            return;
        }

        // Asked for one after the other, so each may be older than the one before; but none is older than the beginning.
        var floors = history.Floors();
        foreach (var (name, value) in cache.ScanAsync($"{Prefix(group)}*").ToListBlocking())
        {
            if (CheckName(name, group) is var key && key >= 0) Judge(key, value, floors[key]);
        }
    }

    private int CheckName(string name, int group)
    {
        int key = history.KeyOf(name);
        if (key < 0 || !name.StartsWith(Prefix(group), StringComparison.Ordinal)) _violations.Enqueue($"a scan of group {group} has found '{name}'");
        return key;
    }

    private void ReadMany(Random random)
    {
        var keys = Enumerable.Range(0, 6).Select(_ => NextKey(random)).Distinct().ToList();
        var floors = keys.ConvertAll(history.Floor);
        var found = cache.GetManyAsync(keys.ConvertAll(history.NameOf)).Await();
        for (int i = 0; i < keys.Count; i++)
        {
            if (found.TryGetValue(history.NameOf(keys[i]), out byte[]? value)) Judge(keys[i], value, floors[i]);
        }
    }

    private void Read(int key, Random random, byte[] span, BytesWriter writer)
    {
        string name = history.NameOf(key);
        long floor = history.Floor(key);
        switch (random.Next(6))
        {
            case 0:
                if (cache.Get(name) is { } value) Judge(key, value, floor);
                break;
            case 1:
                if (cache.GetAsync(name).GetAwaiter().GetResult() is { } found) Judge(key, found, floor);
                break;
            case 2:
                if (cache.TryGet(name, span, out int length) && length <= span.Length) Judge(key, span.AsSpan(0, length), floor);
                break;
            case 3:
                if (cache.TryGetEntryInfo(name, out var info) && (info.Length < BytesValue.HeaderBytes || info.Length > LongestValue)) _violations.Enqueue($"'{name}' is said to have {info.Length} bytes");
                break;
            default:
                ReadInto(writer.Reset(), key, name, floor, random);
                break;
        }
    }

    /// <summary>The destination is user code: it may take its time, or throw.</summary>
    private void ReadInto(BytesWriter writer, int key, string name, long floor, Random random)
    {
        bool dawdles = random.Next(DawdlesOneIn) == 0;
        bool throws = random.Next(ThrowsOneIn) == 0;
        writer.BeforePiece = !dawdles && !throws ? null : piece =>
        {
            if (dawdles) Thread.Sleep(piece & 1);
            if (throws) throw new RefusedException();
        };
        try
        {
            if (random.Next(2) == 0 ? cache.TryGet(name, writer) : cache.TryGetAsync(name, writer).Await()) Judge(key, writer.Written, floor);
            else if (writer.WrittenCount > 0) _violations.Enqueue($"'{name}': a miss has written {writer.WrittenCount} bytes");
        }
        catch (RefusedException) when (throws)
        {
            // As it should be.
        }
    }

    private void ReadAll()
    {
        for (int key = 0; key < history.Keys; key++)
        {
            long floor = history.Floor(key);
            if (cache.Get(history.NameOf(key)) is { } value) Judge(key, value, floor);
        }
    }

    private void Judge(int key, ReadOnlySpan<byte> value, long floor)
    {
        _hits.Increment();
        if (history.Judge(key, value, floor) is { } violation) _violations.Enqueue(violation);
    }

    private int NextKey(Random random) => random.Next(random.Next(3) == 0 ? HotKeys : history.Keys);

    /// <summary>Windows so short that reads renew them, and stores so short-lived that they expire under the reader's hands.</summary>
    private static DistributedCacheEntryOptions LifetimeOf(Random random) => random.Next(10) switch
    {
        0 => new() { AbsoluteExpirationRelativeToNow = TimeSpan.FromMilliseconds(1 + random.Next(50)) },
        1 or 2 => new() { SlidingExpiration = TimeSpan.FromMilliseconds(20 + random.Next(400)) },
        3 => new() { SlidingExpiration = TimeSpan.FromMilliseconds(20 + random.Next(400)), AbsoluteExpirationRelativeToNow = TimeSpan.FromSeconds(1) },
        4 => new() { AbsoluteExpirationRelativeToNow = TimeSpan.FromHours(1) },
        _ => BytesCache.ForEver,
    };

    private sealed class RefusedException() : Exception("the destination has had enough");

    private sealed class Segment : ReadOnlySequenceSegment<byte>
    {
        public Segment(ReadOnlyMemory<byte> memory, long runningIndex) => (Memory, RunningIndex) = (memory, runningIndex);

        public Segment Append(ReadOnlyMemory<byte> memory)
        {
            var next = new Segment(memory, RunningIndex + Memory.Length);
            Next = next;
            return next;
        }
    }
}
