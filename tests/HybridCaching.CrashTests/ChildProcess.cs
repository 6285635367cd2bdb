using System.Diagnostics;
using System.Globalization;
using HybridCaching.CrashTests.Child;

namespace HybridCaching.CrashTests;

/// <summary>A process with a cache that is going to be killed.</summary>
internal sealed class ChildProcess : IDisposable
{
    /// <summary>A process that has not said for so long what it had to hangs.</summary>
    private static readonly TimeSpan Deadline = TimeSpan.FromMinutes(3);

    private const int ExitCodeOfKill = 128 + 9;

    private readonly Process _process;
    private readonly List<string> _lines = [];
    private readonly List<string> _errors = [];
    private bool _isSilent;

    private ChildProcess(Process process)
    {
        _process = process;
        process.OutputDataReceived += (_, e) => Hear(e.Data);
        process.ErrorDataReceived += (_, e) =>
        {
            lock (_lines)
            {
                if (e.Data is not null) _errors.Add(e.Data);
            }
        };
        process.BeginOutputReadLine();
        process.BeginErrorReadLine();
    }

    public static ChildProcess Start(ChildPlan plan) => new(Process.Start(new ProcessStartInfo("dotnet")
    {
        ArgumentList = { "exec", Path.Combine(AppContext.BaseDirectory, "HybridCaching.CrashTests.Child.dll"), plan.ToArgument() },
        Environment = { ["DOTNET_TieredPGO"] = "0", ["DOTNET_EnableDiagnostics"] = "0" }, // a killed process would leave its diagnostic pipes
        RedirectStandardInput = true,
        RedirectStandardOutput = true,
        RedirectStandardError = true,
    })!);

    public int Id => _process.Id;

    /// <summary>Whether it ended as by <c>kill -9</c>; known once it has ended.</summary>
    public bool WasKilled => _process.ExitCode == ExitCodeOfKill;

    /// <summary>All that it has said, but for the points.</summary>
    public string Story
    {
        get
        {
            lock (_lines) return string.Join('\n', _lines.Where(static line => !line.StartsWith(Output.Point, StringComparison.Ordinal)));
        }
    }

    /// <summary>What it has said of a kind.</summary>
    public IReadOnlyList<string> Said(string what)
    {
        lock (_lines) return [.. from line in _lines where line.StartsWith(what + " ", StringComparison.Ordinal) select line[(what.Length + 1)..]];
    }

    /// <summary>Which of some things it has said last; null for none.</summary>
    public string? LastOf(params string[] what)
    {
        lock (_lines) return _lines.Select(static line => line[..line.IndexOf(' ', StringComparison.Ordinal)]).LastOrDefault(what.Contains);
    }

    /// <summary>The numbers that it has said first of a kind; empty if it has not.</summary>
    public IReadOnlyList<long> Numbers(string what) => [.. (Said(what) is [var first, ..] ? first : "").Split(' ', StringSplitOptions.RemoveEmptyEntries).Select(static n => long.Parse(n, CultureInfo.InvariantCulture))];

    /// <summary>Waits until it has said something so many times, or has ended.</summary>
    public void WaitFor(int times, params string[] what) => Wait(() => _isSilent || what.Sum(w => CountOf(w)) >= times, string.Join('/', what));

    public void Tell(string line)
    {
        _process.StandardInput.WriteLine(line);
        _process.StandardInput.Flush();
    }

    public void Kill()
    {
        _process.Kill();
        WaitForExit();
    }

    public void WaitForExit()
    {
        Wait(() => _isSilent, "its end");
        if (!_process.WaitForExit(Deadline)) throw new TimeoutException("The process does not end.");
    }

    /// <summary>Why something is wrong with how it went; null if nothing is. To be asked once it has ended.</summary>
    public string? Problem
    {
        get
        {
            if (Said(Output.Violation) is [_, ..] violations) return $"{violations.Count} violations:\n{string.Join('\n', violations.Take(10))}";
            lock (_lines) return WasKilled || _process.ExitCode == 0 ? null : $"the process ended with {_process.ExitCode}:\n{string.Join('\n', _errors)}";
        }
    }

    public void Dispose()
    {
        if (!_process.HasExited)
        {
            _process.Kill();
            _process.WaitForExit();
        }

        _process.Dispose();
    }

    private int CountOf(string what) => _lines.Count(line => line.StartsWith(what + " ", StringComparison.Ordinal));

    private void Hear(string? line)
    {
        lock (_lines)
        {
            if (line is null) _isSilent = true;
            else _lines.Add(line);
            Monitor.PulseAll(_lines);
        }
    }

    private void Wait(Func<bool> condition, string what)
    {
        long start = Stopwatch.GetTimestamp();
        lock (_lines)
        {
            while (!condition())
            {
                if (Stopwatch.GetElapsedTime(start) > Deadline) throw new TimeoutException($"The process hangs: no '{what}' within {Deadline.TotalSeconds} s; it said\n{string.Join('\n', _lines.Concat(_errors))}");
                Monitor.Wait(_lines, TimeSpan.FromMilliseconds(200));
            }
        }
    }
}
