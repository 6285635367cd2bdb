using System.Runtime.CompilerServices;

namespace HybridCaching.SoakTests;

/// <summary>What holds after an hour holds after a day: budgets, open files, and right values, however often the disk was written anew. They have a process of their own, since its memory and its files are counted.</summary>
public sealed class SoakTests : IDisposable
{
    private static readonly SoakPlan Bytes = new() { Name = "bytes", Operations = 20_000, MemoryBudget = "32MB", DiskBudget = "32MB", PopularKeys = 1 << 13, Turnovers = 3 };

    private static readonly SoakPlan Typed = new() { Name = "typed", Operations = 160_000, MemoryBudget = "12MB", DiskBudget = "16MB", PopularKeys = 1 << 16, Turnovers = 3 };

    private readonly TestDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public void Bytes_DiskWrittenThreeTimes_BudgetsAndValuesHold() => Report(RunBytes(Bytes));

    [Fact]
    public void Typed_DiskWrittenThreeTimes_BudgetsAndValuesHold() => Report(RunTyped(Typed));

    /// <summary>As many operations as HYBRIDCACHING_SOAK_OPERATIONS says; <c>./build.sh soak</c> sets it to twenty million.</summary>
    [Fact]
    [Trait("Category", "Soak")]
    public void Bytes_DiskWrittenFiftyTimes_BudgetsAndValuesHold() => Report(RunBytes(Bytes.ForLong("128MB", "1GB", 1 << 18)));

    /// <inheritdoc cref="Bytes_DiskWrittenFiftyTimes_BudgetsAndValuesHold"/>
    [Fact]
    [Trait("Category", "Soak")]
    public void Typed_DiskWrittenFiftyTimes_BudgetsAndValuesHold() => Report(RunTyped(Typed.ForLong("24MB", "64MB", 1 << 18)));

    private SoakResult RunBytes(SoakPlan plan)
    {
        string[] names = BytesSubject.NamesOf(plan);
        return Run(plan, (each, clock) => new BytesSubject(each, names, _directory.Path, clock));
    }

    private SoakResult RunTyped(SoakPlan plan) => Run(plan, (each, clock) => new TypedSubject(each, _directory.Path, clock));

    private static void Report(SoakResult result)
    {
        SoakReport.Write(result);
        result.AssertHolds();
    }

    private SoakResult Run(SoakPlan plan, Func<SoakPlan, SoakClock, ISubject> open)
    {
        WarmUp(plan, open);
        var clock = new SoakClock(plan.OperationsWithWarmUp);
        var run = new SoakRun(plan, clock, TestContext.Current.SendDiagnosticMessage);
        Collect();
        int handles = Sampler.OpenFiles();
        var (samples, resident) = Go(run, () => open(plan, clock), _directory.Combine(plan.Name));
        Collect();
        return new SoakResult
        {
            Plan = plan,
            Violations = run.Violations,
            Tenths = run.Tenths,
            Samples = samples,
            ResidentCollected = resident,
            HandlesBefore = handles,
            HandlesAfter = Sampler.OpenFiles(),
        };
    }

    /// <summary>When it returns, nobody has the cache any more.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static (IReadOnlyList<Sample> Samples, long ResidentCollected) Go(SoakRun run, Func<ISubject> open, string folder)
    {
        long resident = Environment.WorkingSet;
        using var subject = open();
        using var sampler = new Sampler(subject, folder, resident, () => run.Current);
        run.Go(subject);
        var samples = sampler.End();
        Collect();
        return (samples, Environment.WorkingSet - resident);
    }

    /// <summary>Memory that outlives the process is given back by a finalizer, and the file with it.</summary>
    private static void Collect()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);
        GC.WaitForPendingFinalizers();
    }

    /// <summary>What the process takes for code, and for good, it has taken before it is counted.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void WarmUp(SoakPlan plan, Func<SoakPlan, SoakClock, ISubject> open)
    {
        var little = plan with { Name = "warm-up", Operations = 10_000, MemoryBudget = "32MB", DiskBudget = "64MB", PopularKeys = 1 << 10 };
        var clock = new SoakClock(little.OperationsWithWarmUp);
        using var subject = open(little, clock);
        new SoakRun(little, clock, static _ => { }).Go(subject);
    }
}
