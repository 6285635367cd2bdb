using System.Diagnostics;

namespace DirectoryDigest;

/// <summary>Times a run and its phases: listing the files and opening the cache, digesting, closing the cache.</summary>
internal sealed class RunClock
{
    private readonly Stopwatch _watch = Stopwatch.StartNew();
    private TimeSpan _openedAt;
    private TimeSpan _digestedAt;

    public TimeSpan Opening => _openedAt;

    public TimeSpan Digesting => _digestedAt - _openedAt;

    public TimeSpan Closing => Total - _digestedAt;

    /// <summary>All phases; stands still once the cache is closed.</summary>
    public TimeSpan Total => _watch.Elapsed;

    public void Opened() => _openedAt = _watch.Elapsed;

    public void Digested() => _digestedAt = _watch.Elapsed;

    public void Closed() => _watch.Stop();
}
