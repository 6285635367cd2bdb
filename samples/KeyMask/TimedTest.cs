using System.Diagnostics;

namespace KeyMask;

/// <summary>A number of steps that workers share, each taking the next one that nobody has taken.</summary>
internal sealed class TimedTest(string name, int steps, Action<int> step)
{
    private int _taken;

    public string Name => name;

    public int Steps => steps;

    public int Taken => Math.Min(Volatile.Read(ref _taken), steps);

    public TimeSpan Elapsed { get; private set; }

    /// <summary>Runs on threads of its own: a read that needs the disk blocks its thread.</summary>
    public async Task RunAsync(int workers, CancellationToken cancellationToken)
    {
        long start = Stopwatch.GetTimestamp();
        await Task.WhenAll(Enumerable.Range(0, workers).Select(_ =>
            Task.Factory.StartNew(() => Work(cancellationToken), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default)));
        Elapsed = Stopwatch.GetElapsedTime(start);
    }

    private void Work(CancellationToken cancellationToken)
    {
        try
        {
            while (!cancellationToken.IsCancellationRequested)
            {
                int number = Interlocked.Increment(ref _taken) - 1;
                if (number >= steps) return;
                step(number);
            }
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            // As if there were no more steps.
        }
        catch
        {
            Interlocked.Exchange(ref _taken, steps); // one failure ends the test
            throw;
        }
    }
}
