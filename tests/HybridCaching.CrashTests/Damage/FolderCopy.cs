using System.Diagnostics;
using HybridCaching.CrashTests.Child;

namespace HybridCaching.CrashTests.Damage;

/// <summary>A copy of a folder that was left by a process, with a copy of what is expected of it: to be damaged, and opened in this process.</summary>
internal sealed class FolderCopy : IDisposable
{
    private readonly TestDirectory _directory = new();
    private readonly ChildPlan _plan;
    private readonly SharedState _state;

    /// <param name="source">The folder.</param>
    /// <param name="state">What is expected of it.</param>
    /// <param name="plan">How it was opened.</param>
    public FolderCopy(string source, string state, ChildPlan plan)
    {
        _plan = plan with { Directory = _directory.Combine("cache") };
        Folder = Subjects.FolderIn(_plan.Directory, plan.Kind);
        Copy(source, Folder);
        File.Copy(state, _directory.Combine("state"));
        _state = SharedState.Open(_directory.Combine("state"));
    }

    public string Folder { get; }

    public CollectingLoggerFactory Log { get; } = new();

    public static void Copy(string source, string destination)
    {
        Directory.CreateDirectory(destination);
        foreach (string file in Directory.EnumerateFiles(source)) File.Copy(file, Path.Combine(destination, Path.GetFileName(file)));
    }

    /// <summary>Opens the cache, reads every key, fails on whatever is wrong, closes it.</summary>
    /// <returns>How many were found; and what the cache counted.</returns>
    public (long Hits, CacheStatistics Statistics) Judge()
    {
        long start = Stopwatch.GetTimestamp();
        using var subject = Subjects.Open(_plan, _state, throws: true, Log);
        var taken = Stopwatch.GetElapsedTime(start);
        Assert.True(taken < Promises.LongestStart, $"the start took {taken}");
        var violations = new List<string>();
        var writers = Enumerable.Range(0, Writer.Count).Select(me => new Writer(subject, _state, me, 0, violations.Add)).ToList();
        writers.ForEach(static writer => writer.JudgeAll());
        Assert.True(violations.Count == 0, string.Join('\n', violations.Take(10)));
        return (writers.Sum(static writer => writer.Hits), subject.GetStatistics());
    }

    public void Dispose()
    {
        _state.Dispose();
        _directory.Dispose();
    }
}
