namespace HybridCaching.CrashTests.Child;

/// <summary>Opens the cache, with or without its directory, and waits until it is killed, or told to end.</summary>
internal sealed class WaitTask(ChildPlan plan, SharedState state)
{
    public void Run()
    {
        using var subject = Subjects.Open(plan, state, throws: false);
        Output.Say(Output.Opened, "0 0");
        while (Console.In.ReadLine() is not null)
        {
        }
    }
}
