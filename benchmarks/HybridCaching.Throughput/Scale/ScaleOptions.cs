using System.CommandLine;
using static Samples.Shared.CommandLineParts;

namespace HybridCaching.Throughput.Scale;

/// <summary>What the user asked for, checked.</summary>
/// <param name="Millions">Up to so many million entries.</param>
/// <param name="Work">Where the files of caches go; null for the system's temporary folder.</param>
internal sealed record ScaleOptions(int Millions, string? Work)
{
    public const string Command = "scale";

    private const int Usual = 10;
    private const int Most = 1000;

    private static readonly Option<int> MillionsOption = Count("--millions", Usual, 1, Most, "Up to so many million entries, each step ten times the last, with all that can be repeated measured three times; 100 takes 13 GB of disk, 5 GB of memory and half an hour");
    private static readonly Option<string> WorkOption = new("--work") { HelpName = "dir", Description = "Where the files of caches go [default: the system's temporary folder]" };

    /// <summary>The options, or null when the command line asked for help or the version and got it.</summary>
    /// <exception cref="CannotStartException">Something is wrong with it.</exception>
    public static ScaleOptions? Parse(string[] args, out int exitCode)
    {
        var root = new RootCommand("The cost of an operation, memory per entry and the time of a restart with more and more entries, and how long the garbage collector stops the process.") { MillionsOption, WorkOption };
        if (CommandLineParts.Parse(root, args, out exitCode) is not { } result) return null;
        ThrowOnErrors(result);
        return new ScaleOptions(result.GetValue(MillionsOption), result.GetValue(WorkOption) is { } path ? FullPath(WorkOption.Name, path) : null);
    }
}
