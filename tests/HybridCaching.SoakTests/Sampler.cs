using System.Diagnostics;

namespace HybridCaching.SoakTests;

/// <summary>A thread that looks every 100 ms at what the process and the cache take.</summary>
internal sealed class Sampler : IDisposable
{
    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(100);

    private readonly ISubject _subject;
    private readonly string _folder;
    private readonly long _residentBefore;
    private readonly Func<int> _tenth;
    private readonly List<Sample> _samples = new(1 << 15);
    private readonly ManualResetEventSlim _over = new();
    private readonly Thread _thread;
    private readonly long _start = Stopwatch.GetTimestamp();

    /// <param name="subject">The cache.</param>
    /// <param name="folder">Its folder.</param>
    /// <param name="residentBefore">What the process had in memory before there was the cache.</param>
    /// <param name="tenth">Which tenth of the operations is going on.</param>
    public Sampler(ISubject subject, string folder, long residentBefore, Func<int> tenth)
    {
        (_subject, _folder, _residentBefore, _tenth) = (subject, folder, residentBefore, tenth);
        _thread = Crew.Start(Run);
    }

    public TimeSpan Elapsed => Stopwatch.GetElapsedTime(_start);

    /// <summary>How many files the process has open; zero where the system does not say.</summary>
    public static int OpenFiles()
    {
        const string Handles = "/proc/self/fd";
        return Directory.Exists(Handles) ? Directory.EnumerateFileSystemEntries(Handles).Count() : 0;
    }

    /// <summary>Takes a last sample.</summary>
    /// <returns>All samples.</returns>
    public IReadOnlyList<Sample> End()
    {
        Dispose();
        return _samples;
    }

    public void Dispose()
    {
        _over.Set();
        _thread.Join();
    }

    private void Run()
    {
        do Take();
        while (!_over.Wait(Interval));
        Take();
    }

    private void Take() =>
        _samples.Add(new Sample(Elapsed, _tenth(), Environment.WorkingSet - _residentBefore, _subject.Memory.Total, FolderUse.Of(_folder), OpenFiles(), _subject.Statistics.DiskWrittenBytes));
}
