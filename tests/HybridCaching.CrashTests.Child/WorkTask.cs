using System.Diagnostics;

namespace HybridCaching.CrashTests.Child;

/// <summary>Opens the cache, judges what it finds, writes for a while, closes it.</summary>
internal sealed class WorkTask(ChildPlan plan, SharedState state)
{
    public void Run()
    {
        long start = Stopwatch.GetTimestamp();
        var subject = Subjects.Open(plan, state, log: new SaidLog());
        Output.Say(Output.Opened, $"{Stopwatch.GetElapsedTime(start).TotalMilliseconds:F0} {subject.GetStatistics().RecoveredEntries}");
        if (subject.GetStatistics().RecoveredEntries == 0) state.Header.HasEvicted = 0;
        (state.Header.MemoryBudget, state.Header.DiskBudget) = (plan.MemoryBudget, plan.DiskBudget);
        var writers = Enumerable.Range(0, Writer.Count).Select(me => new Writer(subject, state, me, plan.Seed, Violated)).ToList();
        RunAll([.. writers.Select(static writer => (Action)writer.JudgeAll)]);
        Output.Say(Output.Judged, $"{writers.Sum(static w => w.Hits)} {writers.Sum(static w => w.ExpectedHits)} {writers.Sum(static w => w.Expected)}");
        if (plan.WorkMilliseconds > 0) Work(subject, writers);
        Steward.NoteEvictions(subject, state);
        Output.Say(Output.Closing, subject.GetStatistics().ToString());
        if (plan.RestsAtEnd)
        {
            state.Checkpoint(subject.Checkpoint);
            Output.Say(Output.Resting);
            Thread.Sleep(Timeout.Infinite);
        }

        state.Checkpoint(() =>
        {
            subject.Dispose();
            return true;
        });
        Output.Say(Output.Closed);
    }

    private static void Violated(string violation) => Output.Say(Output.Violation, violation);

    private void Work(ISubject subject, List<Writer> writers)
    {
        long start = Stopwatch.GetTimestamp();
        bool IsOver() => Stopwatch.GetElapsedTime(start).TotalMilliseconds > plan.WorkMilliseconds;
        var work = writers.Select(writer => (Action)(() =>
        {
            while (!IsOver())
            {
                for (int i = 0; i < 16; i++) writer.Step();
            }
        }));
        if (plan.Steward != StewardTask.None) work = work.Append(() => new Steward(subject, state, plan.Seed, plan.Steward == StewardTask.Checkpoints).Go(IsOver));
        RunAll([.. work]);
    }

    private static void RunAll(Action[] work)
    {
        var threads = work.Select(static one => new Thread(() => one())).ToList();
        foreach (var thread in threads) thread.Start();
        foreach (var thread in threads) thread.Join();
    }
}
