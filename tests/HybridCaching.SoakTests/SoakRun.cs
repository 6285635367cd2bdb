using System.Collections.Concurrent;
using System.Diagnostics;

namespace HybridCaching.SoakTests;

/// <summary>
/// A day of a busy cache in little time: keys by Zipf 0.99, read through it (what is missing is stored), some overwritten, a few removed, and scans of keys that hardly anybody wants again. The sizes of values go
/// from the smallest to the largest eleven times, once for warming up. Every value that is read is judged.
/// </summary>
internal sealed class SoakRun(SoakPlan plan, SoakClock clock, Action<string> report)
{
    private const double Skew = 0.99;
    private const int OperationsAtOnce = 64;
    private const int ScanLength = 100;
    private const int ScansOneIn = 1000;
    private const int MostViolations = 20;
    private const long Scatter = 0x9E37_79B1;

    private readonly Ledger _ledger = new(2 * plan.PopularKeys, clock);
    private readonly ConcurrentQueue<string> _violations = new();
    private readonly Tenth?[] _tenths = new Tenth?[SoakPlan.Tenths + 1];
    private readonly Lock _turning = new();
    private ISubject? _subject;
    private long _start;
    private long _next;
    private int _scanned;

    public IReadOnlyCollection<string> Violations => _violations;

    /// <summary>Without the one for warming up.</summary>
    public IReadOnlyList<Tenth> Tenths => [.. _tenths.Skip(1).OfType<Tenth>()];

    /// <summary>Which tenth is going on; zero while warming up.</summary>
    public int Current => TenthOf(Math.Min(Volatile.Read(ref _next), plan.OperationsWithWarmUp - 1));

    public void Go(ISubject subject)
    {
        (_subject, _start) = (subject, Stopwatch.GetTimestamp());
        Crew.Run(plan.Threads, Work, plan.Patience);
        EndTenth(SoakPlan.Tenths);
        _subject = null;
    }

    private int TenthOf(long operation) => (int)(operation / plan.OperationsOfTenth);

    private void Work(int me)
    {
        var random = new Random((plan.Seed * plan.Threads) + me);
        var worker = new Worker(random, new ZipfRanks(plan.PopularKeys, Skew, random), new byte[_subject!.ValueBytes.Most], new byte[_subject!.ValueBytes.Most]);
        while (_violations.Count < MostViolations)
        {
            long first = Interlocked.Add(ref _next, OperationsAtOnce) - OperationsAtOnce;
            if (first >= plan.OperationsWithWarmUp) break;
            clock.MoveTo(first);
            TurnTo(TenthOf(first), worker);
            double progress = first % plan.OperationsOfTenth / (double)plan.OperationsOfTenth;
            for (int i = 0; i < OperationsAtOnce; i++) Call(worker, progress);
        }

        _tenths[worker.Tenth]?.Add(worker.Gets, worker.Sets);
    }

    /// <summary>Goes on with a tenth, which begins with the first thread that comes to it. What the thread has measured is handed over.</summary>
    private void TurnTo(int tenth, Worker worker)
    {
        if (worker.Tenth == tenth) return;
        lock (_turning)
        {
            if (_tenths[tenth] is null)
            {
                if (tenth > 0) EndTenth(tenth - 1);
                _tenths[tenth] = new Tenth(Stopwatch.GetElapsedTime(_start), _subject!.Statistics, GC.CollectionCount(2));
            }
        }

        if (worker.Tenth >= 0) _tenths[worker.Tenth]!.Add(worker.Gets, worker.Sets);
        worker.Begin(tenth);
    }

    private void EndTenth(int tenth)
    {
        if (_tenths[tenth] is not { } ended) return; // given up earlier
        var statistics = _subject!.Statistics;
        ended.End(Stopwatch.GetElapsedTime(_start), statistics, GC.CollectionCount(2));
        report($"{plan.Name}: {(tenth == 0 ? "warm" : $"{tenth} of {SoakPlan.Tenths} tenths")}, {Stopwatch.GetElapsedTime(_start).TotalSeconds:N0} s, disk written {statistics.DiskWrittenBytes / (double)plan.DiskBudget.Bytes:N1} times, {_violations.Count} wrong values");
    }

    private void Call(Worker worker, double progress)
    {
        var random = worker.Random;
        if (worker.LeftOfScan == 0 && random.Next(ScansOneIn) == 0) worker.LeftOfScan = ScanLength;
        if (worker.LeftOfScan > 0)
        {
            worker.LeftOfScan--;
            ReadThrough(plan.PopularKeys + (int)((uint)Interlocked.Increment(ref _scanned) % plan.PopularKeys), worker, progress);
            return;
        }

        int key = (int)(worker.Ranks.Next() * Scatter & (plan.PopularKeys - 1));
        int choice = random.Next(100);
        if (choice == 0) Remove(key);
        else if (choice < 8) Set(key, worker, progress);
        else ReadThrough(key, worker, progress);
    }

    private void ReadThrough(int key, Worker worker, double progress)
    {
        long floor = _ledger.Floor(key);
        long ticks = clock.Ticks;
        long start = Stopwatch.GetTimestamp();
        int length = _subject!.Get(key, worker.Read);
        worker.Gets.AddSince(start);
        if (length < 0) Set(key, worker, progress);
        else if (_ledger.Judge(key, worker.Read.AsSpan(0, length), floor, ticks) is { } wrong) _violations.Enqueue(wrong);
    }

    private void Set(int key, Worker worker, double progress)
    {
        int length = LengthAt(progress, worker.Random);
        var lifetime = worker.Random.Next(4) == 0 ? TimeSpan.FromMinutes(5 + worker.Random.Next(8 * 60)) : (TimeSpan?)null;
        lock (_ledger.WritingOf(key))
        {
            long number = _ledger.Begin(key);
            SoakValue.Of(key, number, lifetime, length).WriteTo(worker.Written.AsSpan(0, length));
            long start = Stopwatch.GetTimestamp();
            _subject!.Set(key, worker.Written, length, lifetime);
            worker.Sets.AddSince(start);
            _ledger.End(key, number);
        }
    }

    private void Remove(int key)
    {
        lock (_ledger.WritingOf(key))
        {
            long number = _ledger.Begin(key);
            _subject!.Remove(key);
            _ledger.End(key, number);
        }
    }

    /// <summary>About the size that values have at this point: half to twice as much.</summary>
    private int LengthAt(double progress, Random random)
    {
        var (least, most) = _subject!.ValueBytes;
        double middle = least * Math.Pow(most / (double)least, progress);
        return (int)Math.Clamp(middle * Math.Pow(2, (2 * random.NextDouble()) - 1), least, most);
    }

    /// <summary>What one thread has of its own.</summary>
    private sealed class Worker(Random random, ZipfRanks ranks, byte[] read, byte[] written)
    {
        public Random Random => random;

        public ZipfRanks Ranks => ranks;

        public byte[] Read => read;

        public byte[] Written => written;

        public Latencies Gets { get; } = new();

        public Latencies Sets { get; } = new();

        public int Tenth { get; private set; } = -1;

        public int LeftOfScan { get; set; }

        public void Begin(int tenth)
        {
            Tenth = tenth;
            Gets.Clear();
            Sets.Clear();
        }
    }
}
