using Spectre.Console;

namespace Samples.Shared;

/// <summary>Where the samples draw.</summary>
internal static class Terminal
{
    private static readonly TimeSpan ProgressInterval = TimeSpan.FromMilliseconds(100);

    // Left to itself, Spectre writes control codes into files and pipes too.
    public static readonly IAnsiConsole Console = AnsiConsole.Create(new AnsiConsoleSettings
    {
        Ansi = System.Console.IsOutputRedirected ? AnsiSupport.No : AnsiSupport.Detect,
        Interactive = System.Console.IsOutputRedirected ? InteractionSupport.No : InteractionSupport.Detect,
    });

    /// <summary>Bars with a percentage and the time that remains; lines now and then where the output is not a terminal.</summary>
    public static Progress Progress() => Console.Progress().Columns(new TaskDescriptionColumn(), new ProgressBarColumn(), new PercentageColumn(), new RemainingTimeColumn());

    /// <summary>Moves the bar along until the work has ended.</summary>
    public static async Task FollowAsync(this ProgressTask bar, Task work, Func<double> done)
    {
        while (await Task.WhenAny(work, Task.Delay(ProgressInterval, CancellationToken.None)) != work) bar.Value = done();
        bar.Value = done();
        await work;
    }
}
