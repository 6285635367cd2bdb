namespace Samples.Shared;

/// <summary>Starts a sample: what cannot be started is told in one line, and an interrupt cancels once before it kills.</summary>
internal static class SampleProgram
{
    public const int Interrupted = 130;

    private const int CannotStart = 2;

    /// <param name="name">The name of the program, in front of what it says about itself.</param>
    /// <param name="run">Does everything; returns the exit code.</param>
    public static async Task<int> RunAsync(string name, Func<CancellationToken, Task<int>> run)
    {
        using var interrupt = new CancellationTokenSource();
        Console.CancelKeyPress += (_, e) =>
        {
            e.Cancel = !interrupt.IsCancellationRequested;
            interrupt.Cancel();
        };

        try
        {
            return await run(interrupt.Token);
        }
        catch (CannotStartException e)
        {
            await Console.Error.WriteLineAsync($"{name}: {e.Message.ReplaceLineEndings(" ")}");
            return CannotStart;
        }
    }

    /// <summary>Opens a cache; what it refuses is the user's to change.</summary>
    public static TCache Open<TCache>(Func<TCache> open)
    {
        try
        {
            return open();
        }
        catch (Exception e) when (e is ArgumentException or IOException or UnauthorizedAccessException or InvalidOperationException or NotSupportedException)
        {
            throw new CannotStartException($"cannot open the cache: {e.Message}");
        }
    }
}
