namespace HybridCaching.CrashTests.History;

/// <summary>Judges every hit of a recorded history. Keys are independent of each other; a key is a register that may lose its value at any moment.</summary>
/// <remarks>
/// A hit is right if its value was stored under its key by a set that began before the hit ended, and if nothing makes it outdated: no other set, removal or clear lies wholly between that set and the hit, and no earlier hit, over
/// before this one began, had a value whose set began after this one's was over. Both say the same of an event that was known before the hit began: it may not have begun after the set was over. So one pass over the events of a key
/// in the order in which they were known is enough.
/// </remarks>
internal static class HistoryChecker
{
    private const int MostViolations = 20;

    /// <summary>What is wrong; empty if nothing is.</summary>
    public static IReadOnlyList<string> Check(IReadOnlyList<ThreadHistory> threads)
    {
        var violations = new List<string>();
        var clears = new Floor();
        foreach (var thread in threads)
        {
            foreach (ref readonly var operation in thread.Operations)
            {
                if (operation.Kind == OperationKind.Clear) clears.Add(operation.End, operation.Begin);
            }
        }

        clears.Sort();
        foreach (var operations in ByKey(threads))
        {
            CheckKey(operations, threads, clears, violations);
            if (violations.Count >= MostViolations) break;
        }

        return violations;
    }

    private static void CheckKey(List<Operation> operations, IReadOnlyList<ThreadHistory> threads, Floor clears, List<string> violations)
    {
        var floor = new Floor();
        foreach (var operation in operations)
        {
            if (operation.Kind != OperationKind.Hit) floor.Add(operation.End, operation.Begin);
            else if (SetOf(operation, threads) is { } set) floor.Add(operation.End, set.Begin);
        }

        floor.Sort();
        foreach (var hit in operations.Where(static o => o.Kind == OperationKind.Hit))
        {
            if (Judge(hit, SetOf(hit, threads), floor, clears) is { } violation) violations.Add(violation);
        }
    }

    private static string? Judge(Operation hit, Operation? found, Floor floor, Floor clears)
    {
        if (found is not { } set) return $"key {hit.Key}: {hit} has a value that nobody stored there";
        if (set.Begin >= hit.End) return $"key {hit.Key}: {hit} was over before {set} began";
        if (floor.At(hit.Begin) > set.End) return $"key {hit.Key}: {hit} is outdated: {set}, and then something of {floor.At(hit.Begin)}, known before it began";
        return clears.At(hit.Begin) > set.End ? $"key {hit.Key}: {hit} was cleared: {set}, and then a clear of {clears.At(hit.Begin)}" : null;
    }

    /// <summary>The set of a hit's value; null if there is none of its key.</summary>
    private static Operation? SetOf(in Operation hit, IReadOnlyList<ThreadHistory> threads)
    {
        int thread = ThreadHistory.ThreadOf(hit.Value);
        int index = ThreadHistory.IndexOf(hit.Value);
        if (thread < 0 || thread >= threads.Count || index >= threads[thread].Count) return null;
        var set = threads[thread].Operations[index];
        return set.Kind == OperationKind.Set && set.Key == hit.Key ? set : null;
    }

    private static IEnumerable<List<Operation>> ByKey(IReadOnlyList<ThreadHistory> threads)
    {
        int keys = threads.Max(static thread => thread.Count == 0 ? 0 : MaximumKey(thread)) + 1;
        var places = new List<(short Thread, int Index)>[keys];
        for (int thread = 0; thread < threads.Count; thread++)
        {
            for (int index = 0; index < threads[thread].Count; index++)
            {
                if (threads[thread].Operations[index] is { Kind: not OperationKind.Clear } operation) (places[operation.Key] ??= []).Add(((short)thread, index));
            }
        }

        return places.Where(static p => p is not null).Select(p => p.ConvertAll(place => threads[place.Thread].Operations[place.Index]));
    }

    private static int MaximumKey(ThreadHistory thread)
    {
        int maximum = 0;
        foreach (ref readonly var operation in thread.Operations) maximum = Math.Max(maximum, operation.Key);
        return maximum;
    }
}
