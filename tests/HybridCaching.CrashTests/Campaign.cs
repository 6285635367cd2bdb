using HybridCaching.CrashTests.Child;

namespace HybridCaching.CrashTests;

/// <summary>
/// One folder, and one process after another that uses it: each judges every key, writes, and is killed, at a moment by chance or at a named point, or closes the cache. Every process has other options. What was acknowledged is known
/// here (<see cref="SharedState"/>).
/// </summary>
internal sealed class Campaign : IDisposable
{
    private const int UsualKeys = 6_000;
    private const int MinuteOneIn = 4;
    private const int OtherOneIn = 4;
    private const long Mebibyte = 1 << 20;

    /// <summary>With less disk there is no main log, and a budget for writes is refused.</summary>
    private const long LeastToChooseFrom = 16 * Mebibyte;

    /// <summary>A cache that is opened with less disk keeps nothing of what the log lets go. Once it has more, the next one does, and begins anew for that.</summary>
    private const long LeastToKeep = 8 * Mebibyte;

    private readonly TestDirectory _own = new();
    private readonly string _directory;
    private readonly CacheKind _kind;
    private readonly int _seed;
    private readonly Random _random;
    private int _processes;
    /// <summary>Those that the last process had in the end.</summary>
    private (long Memory, long Disk) _budgets;
    private bool _wasKilled;

    /// <summary>The process before began with too little disk, and ended with more.</summary>
    private bool _hadGrownToKeep;

    /// <summary>The process before may have lost entries, or its budgets were changed, which a start after a kill does not survive.</summary>
    private bool _hadEvicted;

    /// <summary>A process had other budgets than the one before it, and nobody has looked since what is still there.</summary>
    private bool _mayHaveBegunAnew;
    private string _before = "none";

    /// <param name="kind">Which cache.</param>
    /// <param name="seed">Decides everything that chance does.</param>
    /// <param name="directory">Where the cache is; null for a directory of its own.</param>
    /// <param name="keys">How many keys there are.</param>
    public Campaign(CacheKind kind, int seed, string? directory = null, int keys = UsualKeys)
    {
        _kind = kind;
        _seed = seed;
        _random = new Random(seed);
        _directory = directory ?? _own.Combine("cache");
        State = SharedState.Create(_own.Combine("state"), keys);
    }

    public SharedState State { get; }

    public KillFigures Figures { get; } = new();

    public string Folder => Subjects.FolderIn(_directory, _kind);

    /// <summary>Whether the disk has forgotten what memory leads to: a page that is damaged at its beginning is lost to its end, also what was written there since.</summary>
    public bool IsDamaged { get; set; }

    /// <summary>How long processes write, unless they are killed before.</summary>
    public int LongestWork { get; init; } = 700;

    /// <summary>Judges once more, with the budgets of the last process, and closes.</summary>
    /// <param name="change">What is not as usual.</param>
    public void End(Func<ChildPlan, ChildPlan>? change = null) => Run((change ?? (static plan => plan))(NextPlan(isSame: true)) with { WorkMilliseconds = 0, RestsAtEnd = false });

    /// <summary>A process that is killed by chance: most while they write, some while they start, half of them warm.</summary>
    public void KillByChance()
    {
        bool isWarm = _random.Next(2) == 0;
        if (isWarm) RunToEnd();
        var plan = NextPlan(isWarm) with { WorkMilliseconds = 60_000 };
        int milliseconds = 50 + _random.Next(LongestWork);
        bool isAtStart = _random.Next(5) == 0;
        Run(plan, child =>
        {
            if (!isAtStart) child.WaitFor(1, Output.Judged);
            Thread.Sleep(isAtStart ? 100 + (milliseconds / 2) : milliseconds);
            child.Kill();
        });
    }

    /// <summary>A process that kills itself at a point, if it comes by; otherwise it closes its cache.</summary>
    /// <returns>Whether it came by.</returns>
    public bool KillAt(string point, int occurrence) => Run(NextPlan() with
    {
        KillPoint = point,
        KillOccurrence = occurrence,
        KillDelayMicroseconds = _random.Next(3) * 300,
        WorkMilliseconds = 100 + _random.Next(LongestWork),
    });

    /// <summary>A process that comes to its end.</summary>
    /// <param name="change">What is not as usual.</param>
    public void RunToEnd(Func<ChildPlan, ChildPlan>? change = null) => Run((change ?? (static plan => plan))(NextPlan() with { WorkMilliseconds = LongestWork / 2 }));

    /// <summary>A process with the budgets of the last one that is stopped by the test.</summary>
    /// <param name="change">What is not as usual.</param>
    /// <param name="stop">Stops it, with <c>kill -9</c> at last.</param>
    public void Run(Func<ChildPlan, ChildPlan> change, Action<ChildProcess> stop) => Run(change(NextPlan(isSame: true)), stop);

    /// <summary>The plan of the next process: most have the budgets of the last one, since others often mean a cold start.</summary>
    /// <param name="isSame">Whether this one shall.</param>
    public ChildPlan NextPlan(bool isSame = false)
    {
        if (_random.Next(MinuteOneIn) == 0) State.Header.ClockOffset += TimeSpan.TicksPerMinute;
        isSame = _budgets.Memory > 0 && (isSame | _random.Next(OtherOneIn) > 0);
        long disk = isSame ? _budgets.Disk : (8 + _random.Next(20)) * Mebibyte;
        return new ChildPlan
        {
            Kind = _kind,
            Directory = _directory,
            StateFile = State.Path,
            Seed = _seed + (1000 * ++_processes),
            MemoryBudget = isSame ? _budgets.Memory : (_kind == CacheKind.Bytes ? 12 + _random.Next(12) : 8 + _random.Next(8)) * Mebibyte,
            DiskBudget = disk,
            DiskIo = _random.Next(2) == 0 ? DiskIo.Buffered : DiskIo.Direct,
            DiskWriteBudget = disk >= LeastToChooseFrom && _random.Next(4) == 0 ? Mebibyte : null,
        };
    }

    public void Dispose()
    {
        State.Dispose();
        _own.Dispose();
    }

    /// <returns>Whether it was killed.</returns>
    private bool Run(ChildPlan plan, Action<ChildProcess>? stop = null)
    {
        using var child = ChildProcess.Start(plan);
        try
        {
            stop?.Invoke(child);
            child.WaitForExit();
            State.EndOfProcess();
        }
        catch (TimeoutException e)
        {
            Assert.Fail($"{e.Message}\n{Description(plan)}");
        }

        Assert.True(child.Problem is null, $"{child.Problem}\n{Description(plan)}");
        Count(child, plan);
        _mayHaveBegunAnew = (_mayHaveBegunAnew || HasOtherBudgets(plan)) && child.Said(Output.Judged) is [];
        _budgets = (State.Header.MemoryBudget, State.Header.DiskBudget);
        _hadGrownToKeep = plan.DiskBudget < LeastToKeep && _budgets.Disk > plan.DiskBudget;
        _wasKilled = child.WasKilled;
        _hadEvicted = State.Header.HasEvicted != 0;
        _before = $"{plan}\n{child.Story}";
        return _wasKilled;
    }

    private void Count(ChildProcess child, ChildPlan plan)
    {
        Figures.Reached.UnionWith(child.Said(Output.Point));
        if (child.WasKilled)
        {
            Figures.Kills++;
            if (plan.KillPoint is { } point && child.Said(Output.Point).Contains(point)) Figures.Points[point] = Figures.Points.GetValueOrDefault(point) + 1;
        }

        if (child.Numbers(Output.Opened) is [var milliseconds, var recovered])
        {
            Figures.Starts++;
            if (recovered > 0) Figures.WarmStarts++;
            Figures.SlowestStart = Math.Max(Figures.SlowestStart, milliseconds);
            Assert.True(milliseconds <= Promises.LongestStart.TotalMilliseconds, $"the start took {milliseconds} ms\n{Description(plan)}");
        }

        if (child.Numbers(Output.Judged) is not [var judged, var hits, var expected]) return;
        Figures.Judged += judged;
        if (IsDamaged || _hadGrownToKeep || _mayHaveBegunAnew || HasOtherBudgets(plan) || State.Header.HasEvicted != 0 || (_wasKilled && _hadEvicted)) return;
        string found = $"{hits} of {expected} entries of the last checkpoint are there\n{Description(plan)}\nand this one said\n{child.Story}";
        bool isWarm = hits >= expected * Promises.WarmShare;
        if (!_wasKilled) Assert.True(isWarm, found);
        if (_wasKilled) (Figures.ExpectedHits, Figures.Expected) = (Figures.ExpectedHits + hits, Figures.Expected + expected);
        if (_wasKilled && !isWarm) Figures.Losses.Add(found);
    }

    private bool HasOtherBudgets(ChildPlan plan) => (plan.MemoryBudget, plan.DiskBudget) != _budgets;

    private string Description(ChildPlan plan) => $"{Amount.Again(_seed)}\nprocess {_processes}: {plan}\nthe one before: {_before}";
}
