using System.CommandLine;
using HybridCaching.Benchmarks.Matrix;

namespace HybridCaching.Benchmarks;

/// <summary>Reads the command line: the options below are ours, everything else is a command of ours or BenchmarkDotNet's.</summary>
internal static class BenchmarkCommandLine
{
    private const string Full = "full";

    private static readonly Option<string> Work = new("--work") { HelpName = "dir", Description = "Where the contestants' files go [default: the system's temporary folder]" };
    private static readonly Option<bool> Fresh = new("--fresh") { Description = "Runs again what is finished for this commit" };
    private static readonly Option<string> Matrix = new("--matrix") { HelpName = Full, Description = "All cells of the matrix, or all of what is not named" };

    /// <summary>In the order of <see cref="MatrixChoice.Dimensions"/>.</summary>
    private static readonly Option<string>[] Dimensions = [.. ((string[])["--ratios", "--threads", "--reads", "--keys", "--values", "--key-types"]).Zip(MatrixChoice.Dimensions, static (name, dimension) =>
        new Option<string>(name) { HelpName = "list", Description = $"Of the matrix only these, some with commas in between: {string.Join(", ", dimension.Values)}" })];

    /// <summary>The options, or null when the command line asked for help and got it, or is wrong and was told so.</summary>
    public static BenchmarkOptions? Parse(string[] args, out int exitCode)
    {
        var root = new RootCommand("Measures the caches of the library beside others. What is no option of this program goes to BenchmarkDotNet.") { TreatUnmatchedTokensAsErrors = false };
        foreach (var option in (Option[])[Work, Fresh, Matrix, .. Dimensions]) root.Options.Add(option);
        var result = root.Parse(args);
        exitCode = 0;
        if (result.Errors.Count > 0 || result.Action is not null)
        {
            exitCode = result.Invoke();
            return null;
        }

        var named = new Dictionary<string, string[]>();
        foreach (var (option, dimension) in Dimensions.Zip(MatrixChoice.Dimensions))
        {
            if (result.GetValue(option) is not { } list) continue;
            string?[] values = [.. list.Split(',').Select(each => ValueOf(dimension.Values, each))];
            if (values.Contains(null)) return Refuse($"{option.Name} '{list}' is none of {string.Join(", ", dimension.Values)}, nor some of them with commas in between.", out exitCode);
            named.Add(dimension.Name, values!);
        }

        if (result.GetValue(Matrix) is { } matrix and not Full) return Refuse($"{Matrix.Name} '{matrix}' is not {Full}.", out exitCode);
        return new BenchmarkOptions(
            result.GetValue(Work) is { } work ? Path.GetFullPath(work) : null,
            result.GetValue(Fresh),
            new MatrixChoice(result.GetValue(Matrix) is not null, named),
            [.. result.UnmatchedTokens]);
    }

    /// <summary>A value as the suite writes it: percentages may stand without their sign, and names in small letters.</summary>
    private static string? ValueOf(string[] values, string text) => values.FirstOrDefault(value => value.TrimEnd('%').Equals(text.Trim().TrimEnd('%'), StringComparison.OrdinalIgnoreCase));

    private static BenchmarkOptions? Refuse(string reason, out int exitCode)
    {
        Console.Error.WriteLine(reason);
        exitCode = 2;
        return null;
    }
}
