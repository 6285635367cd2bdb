using HybridCaching.CrashTests.Child;
using HybridCaching.Diagnostics;

// The process that the crash tests start and kill. See docs/crash-tests.md.
var plan = ChildPlan.Parse(args[0]);
Fault.Reached = new KillSwitch(plan).Reach;
using var state = SharedState.Open(plan.StateFile);
switch (plan.Task)
{
    case ChildTask.Work: new WorkTask(plan, state).Run(); break;
    case ChildTask.Wait: new WaitTask(plan, state).Run(); break;
    case ChildTask.Race: new RaceTask(plan, state).Run(); break;
    default: throw new ArgumentOutOfRangeException(plan.Task.ToString());
}
