using System.Globalization;
using HybridCaching.CrashTests.Child;

namespace HybridCaching.CrashTests;

/// <summary>Two processes want one folder at the same moment.</summary>
[Trait("Category", "Crash")]
public sealed class RaceTests
{
    private const int UsualRounds = 12;
    private const int LargeRounds = 50;
    private const int KillOneIn = 4;
    private const int Keys = 2000;

    [Fact]
    public void Open_ByTwoProcessesAtOnce_IsForExactlyOne()
    {
        using var directory = new TestDirectory();
        using var state = SharedState.Create(directory.Combine("state"), Keys);
        var plan = new ChildPlan { Task = ChildTask.Race, Directory = directory.Combine("cache"), StateFile = state.Path, Seed = Amount.Seed };
        var racers = new List<ChildProcess> { ChildProcess.Start(plan), ChildProcess.Start(plan) };
        var owned = new int[2];
        int rounds = Amount.Of(UsualRounds, LargeRounds);
        try
        {
            for (int round = 1; round <= rounds; round++)
            {
                int owner = Race(racers, state, round);
                owned[owner]++;
                if (round % KillOneIn == 0)
                {
                    racers[owner].Kill();
                    state.EndOfProcess();
                    racers[owner].Dispose();
                    racers[owner] = ChildProcess.Start(plan);
                }
                else
                {
                    Close(racers[owner]);
                }

                Close(racers[1 - owner]);
            }

            Assert.All(racers, static racer => Assert.Empty(racer.Said(Output.Violation)));
            Report.Add("two processes, one folder", $"{rounds} rounds, one owner each ({owned[0]} and {owned[1]} times), every fourth killed");
        }
        finally
        {
            racers.ForEach(static racer => racer.Dispose());
        }
    }

    /// <returns>Who got it.</returns>
    private static int Race(List<ChildProcess> racers, SharedState state, int round)
    {
        int[] said = [.. racers.Select(Answers)];
        foreach (var racer in racers)
        {
            int ready = racer.Said(Output.Ready).Count;
            racer.Tell($"open {round}");
            racer.WaitFor(ready + 1, Output.Ready);
        }

        Volatile.Write(ref state.Header.Go, round);
        for (int i = 0; i < racers.Count; i++) racers[i].WaitFor(said[i] + 1, Output.Owner, Output.Loser);
        int owners = racers.Count(IsOwner);
        Assert.True(owners == 1, $"{owners} owners in round {round}, {Amount.Again(Amount.Seed)}");
        int owner = racers.FindIndex(IsOwner);
        string message = racers[1 - owner].Said(Output.Loser)[^1];
        Assert.Contains(racers[owner].Id.ToString(CultureInfo.InvariantCulture), message, StringComparison.Ordinal);
        return owner;
    }

    private static bool IsOwner(ChildProcess racer) => racer.LastOf(Output.Owner, Output.Loser) == Output.Owner;

    private static int Answers(ChildProcess racer) => racer.Said(Output.Owner).Count + racer.Said(Output.Loser).Count;

    private static void Close(ChildProcess racer)
    {
        int closed = racer.Said(Output.Closed).Count;
        racer.Tell("close");
        racer.WaitFor(closed + 1, Output.Closed);
    }
}
