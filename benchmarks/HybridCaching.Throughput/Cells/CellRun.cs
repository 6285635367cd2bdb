using System.Diagnostics;
using HybridCaching.Throughput.Contestants;
using HybridCaching.Throughput.Measuring;
using HybridCaching.Throughput.Workloads;

namespace HybridCaching.Throughput.Cells;

/// <summary>Opens a contestant, fills it and runs the workloads of a plan.</summary>
/// <param name="plan">What to do.</param>
/// <param name="say">Is told how far it is, from 0 to 1, and what is done.</param>
internal sealed class CellRun(CellPlan plan, Action<double, string> say) : IDisposable
{
    /// <summary>What filling is worth in the bar, in seconds of a workload.</summary>
    private const double FillingSeconds = 10;

    /// <summary>Who writes less than this within the least rest has no work left of what was stored.</summary>
    private const long WrittenAtRest = 1 << 20;

    /// <summary>Between filling and the first workload, for work that goes on in the background: so long, and again and again until none is left, but not for ever.</summary>
    private static readonly TimeSpan LeastRest = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan MostRest = TimeSpan.FromMinutes(1);

    private static readonly TimeSpan LookInterval = TimeSpan.FromMilliseconds(20);

    private static readonly TimeSpan WarmUpTime = TimeSpan.FromSeconds(0.2);

    private readonly WorkDirectory _directory = new();
    private readonly PauseWatch _pauses = new();
    private readonly MemoryWatch _memory = new();
    private readonly Conditions _conditions = plan.Conditions;
    private readonly (Mix Mix, Load Load)[] _loads = [.. LoadsOf(plan)];
    private double _secondsDone;

    private double AllSeconds => FillingSeconds + _loads.Sum(static each => each.Load.Seconds);

    public IEnumerable<Measurement> Measure()
    {
        var population = new Population(_conditions.Entries);
        var workers = new Worker[_conditions.Threads];
        Parallel.For(0, workers.Length, i => workers[i] = new Worker(population, new Choices(_conditions.Entries, (plan.Repeat * workers.Length) + i + 1), _conditions.ValueBytes));
        WarmUpHarness(workers);
        CollectGarbage();
        long residentBefore = ProcessFigures.Resident();
        long anonymousBefore = ProcessFigures.Anonymous();
        var contender = Contender.Named(plan.Contender);
        using var contestant = contender.Open(_conditions, _directory.Path);
        foreach (var worker in workers) worker.Client = contestant.NewClient();
        MakeOld();
        try
        {
            yield return Take(contestant, Measurement.Filling, residentBefore, workers, started => Fill(workers, _conditions.Entries, started));
            _secondsDone = FillingSeconds;
            using var keeper = contender.NeedsKeeper(_conditions) ? new PageCacheKeeper(_directory.Path, (long)(Conditions.GrowthTimesMemory * _conditions.Memory), anonymousBefore) : null;
            Rest(() => keeper is null or { IsWithinBudget: true });
            CollectGarbage(); // of filling, which would be counted as memory of what comes next
            foreach (var (mix, load) in _loads)
            {
                yield return Take(contestant, mix.Name, residentBefore, workers, started => RunMix(mix, workers, load, started));
                _secondsDone += load.Seconds;
            }
        }
        finally
        {
            foreach (var worker in workers) worker.Client.Dispose();
        }
    }

    public void Dispose()
    {
        _memory.Dispose();
        _pauses.Dispose();
        _directory.Dispose();
    }

    private static IEnumerable<(Mix Mix, Load Load)> LoadsOf(CellPlan plan)
    {
        Mix? before = null;
        foreach (var mix in plan.Workloads.Select(Mix.Named))
        {
            yield return (mix, new Load(TimeSpan.FromSeconds(plan.Conditions.WarmUpOf(mix, before)), TimeSpan.FromSeconds(plan.Conditions.Seconds), plan.Rate));
            before = mix;
        }
    }

    /// <summary>What opening has left is old from now on. Or the longest pauses would be the first two, which move what is made once, whatever the number of entries.</summary>
    private static void MakeOld()
    {
        for (int generation = 0; generation < GC.MaxGeneration; generation++) GC.Collect();
    }

    private static void CollectGarbage() => GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);

    private static void Rest(Func<bool> isAtRest)
    {
        long begin = Stopwatch.GetTimestamp();
        long written;
        do
        {
            long before = ProcessFigures.Now().WrittenBytes;
            Thread.Sleep(LeastRest);
            written = ProcessFigures.Now().WrittenBytes - before;
        }
        while ((written > WrittenAtRest || !isAtRest()) && Stopwatch.GetElapsedTime(begin) < MostRest);
    }

    /// <summary>What measures takes its memory before that of a contestant is measured.</summary>
    private void WarmUpHarness(Worker[] workers)
    {
        Fill(workers, _conditions.Entries, static () => { });
        RunMix(Mix.Named("B"), workers, new Load(WarmUpTime, WarmUpTime, plan.Rate), static () => { });
    }

    // "work" is given what to call when it begins to count; it returns the seconds that counted.
    private Measurement Take(IContestant contestant, string workload, long residentBefore, Worker[] workers, Func<Action, double> work)
    {
        foreach (var worker in workers) worker.Clear();
        ProcessFigures before = default;
        TimeSpan pausesBefore = default;
        Collections collectionsBefore = default;
        double seconds = work(() =>
        {
            before = ProcessFigures.Now();
            pausesBefore = GC.GetTotalPauseDuration();
            collectionsBefore = Collections.Now();
            _memory.TakeMost();
            _pauses.TakeLongest();
        });
        var after = ProcessFigures.Now();
        var collections = Collections.Now() - collectionsBefore;
        var (reads, writes) = (new Latencies(), new Latencies());
        foreach (var worker in workers)
        {
            reads.Add(worker.Reads);
            writes.Add(worker.Writes);
        }

        return new Measurement
        {
            Identity = plan.Identity,
            Part = plan.Part,
            Contender = plan.Contender,
            Workload = workload,
            Repeat = plan.Repeat,
            Rate = plan.Rate,
            Conditions = _conditions,
            Settings = contestant.Settings,
            Seconds = seconds,
            Operations = reads.Count + writes.Count,
            Misses = workers.Sum(worker => worker.Misses),
            Reads = reads.Figures(),
            Writes = writes.Figures(),
            CpuSeconds = after.CpuSeconds - before.CpuSeconds,
            WrittenBytes = after.WrittenBytes - before.WrittenBytes,
            ReadBytes = after.ReadBytes - before.ReadBytes,
            DiskBytes = FolderUse.Of(_directory.Path),
            ResidentGrowth = _memory.TakeMost() - residentBefore,
            PageCacheBytes = PageCache.Of(_directory.Path).Cached,
            MemoryInUse = contestant.MemoryInUse,
            LongestPauseMilliseconds = _pauses.TakeLongest().TotalMilliseconds,
            AllPausesMilliseconds = (GC.GetTotalPauseDuration() - pausesBefore).TotalMilliseconds,
            Collections = collections,
        };
    }

    private double Fill(Worker[] workers, int entries, Action started)
    {
        long done = 0;
        started();
        long begin = Stopwatch.GetTimestamp();
        Together(workers, (worker, i) => worker.Fill(i, workers.Length, ref done), () => say(FillingSeconds * Volatile.Read(ref done) / entries / AllSeconds, Measurement.Filling));
        return Stopwatch.GetElapsedTime(begin).TotalSeconds;
    }

    private double RunMix(Mix mix, Worker[] workers, Load load, Action started)
    {
        long begin = Stopwatch.GetTimestamp() + (Stopwatch.Frequency / 100);
        long start = begin + (long)(load.WarmUp.TotalSeconds * Stopwatch.Frequency);
        long end = start + (long)(load.Duration.TotalSeconds * Stopwatch.Frequency);
        double interval = load.Rate is { } rate ? workers.Length * Stopwatch.Frequency / rate : 0;
        bool counts = false;
        Together(
            workers,
            (worker, i) => worker.Run(mix, begin + (long)(interval * i / workers.Length), start, end, interval),
            () =>
            {
                if (!counts && Stopwatch.GetTimestamp() >= start)
                {
                    counts = true;
                    started();
                }

                say((_secondsDone + Math.Max(0, Stopwatch.GetElapsedTime(begin).TotalSeconds)) / AllSeconds, mix.Name);
            });
        return Stopwatch.GetElapsedTime(start).TotalSeconds;
    }

    /// <summary>Each worker on a thread of its own; meanwhile this one looks now and then.</summary>
    private static void Together(Worker[] workers, Action<Worker, int> work, Action look)
    {
        Exception? failure = null;
        var threads = workers.Select((worker, i) => new Thread(() =>
        {
            try
            {
                work(worker, i);
            }
            catch (Exception e)
            {
                Interlocked.CompareExchange(ref failure, e, null);
            }
        })).ToArray();
        foreach (var thread in threads) thread.Start();
        foreach (var thread in threads)
        {
            while (!thread.Join(LookInterval)) look();
        }

        if (failure is not null) throw new InvalidOperationException(failure.Message, failure);
    }
}
