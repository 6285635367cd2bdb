using System.Globalization;

namespace HybridCaching.CrashTests.Child;

/// <summary>Opens and closes the cache as often as it is told to: <c>open 7</c>, upon which it waits for the round to begin, and <c>close</c>. Who gets it judges what it finds and overwrites it.</summary>
internal sealed class RaceTask(ChildPlan plan, SharedState state)
{
    public void Run()
    {
        ISubject? subject = null;
        Output.Say(Output.Ready);
        while (Console.In.ReadLine() is { } line)
        {
            if (line.StartsWith("open ", StringComparison.Ordinal))
            {
                subject = Open(long.Parse(line.AsSpan("open ".Length), CultureInfo.InvariantCulture));
            }
            else
            {
                subject?.Dispose();
                subject = null;
                Output.Say(Output.Closed);
            }
        }
    }

    /// <returns>Null if another has it.</returns>
    private ISubject? Open(long round)
    {
        Output.Say(Output.Ready);
        while (Volatile.Read(ref state.Header.Go) < round)
        {
        }

        ISubject subject;
        try
        {
            subject = Subjects.Open(plan, state);
        }
        catch (IOException e)
        {
            Output.Say(Output.Loser, e.Message);
            return null;
        }

        for (int me = 0; me < Writer.Count; me++)
        {
            var writer = new Writer(subject, state, me, plan.Seed ^ (int)round, static violation => Output.Say(Output.Violation, violation));
            writer.JudgeAll();
            for (int i = 0; i < 500; i++) writer.Step();
        }

        Output.Say(Output.Owner, Environment.ProcessId.ToString(CultureInfo.InvariantCulture));
        return subject;
    }
}
