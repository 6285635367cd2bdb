using System.Diagnostics;
using System.Globalization;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Samples;

/// <summary>One finished run of a sample, as the solution built it.</summary>
internal sealed record SampleProcess(int ExitCode, string Output, string Error)
{
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(1);

    public string[] ErrorLines => Error.Split('\n', StringSplitOptions.RemoveEmptyEntries);

    public static async Task<SampleProcess> RunAsync(string sample, string workingDirectory, params string[] arguments)
    {
        using var process = Process.Start(SampleCommand.Of(sample, workingDirectory, arguments))!;
        using var timeout = new CancellationTokenSource(Patience);
        try
        {
            var output = process.StandardOutput.ReadToEndAsync(timeout.Token);
            var error = process.StandardError.ReadToEndAsync(timeout.Token);
            await process.WaitForExitAsync(timeout.Token);
            return new SampleProcess(process.ExitCode, await output, await error);
        }
        finally
        {
            if (!process.HasExited) process.Kill(entireProcessTree: true);
        }
    }

    /// <summary>Kills a sample once something is so.</summary>
    public static void RunUntil(string sample, string workingDirectory, Func<bool> condition, params string[] arguments)
    {
        using var process = Process.Start(SampleCommand.Of(sample, workingDirectory, arguments))!;
        try
        {
            Until.True(() => condition() || process.HasExited, "the sample comes so far");
            Assert.False(process.HasExited, "the sample has ended");
        }
        finally
        {
            process.Kill();
            process.WaitForExit();
        }
    }

    /// <summary>The first number in the second cell of a row of the table.</summary>
    public long Figure(string row)
    {
        string[] cells = Output.Split('\n').Select(line => line.Split('│', '|')).Single(cells => cells.Length > 2 && cells[1].Trim() == row);
        string number = cells[2].Trim().Split(' ')[0].TrimEnd(',');
        return long.Parse(number, NumberStyles.AllowThousands, CultureInfo.InvariantCulture);
    }
}
