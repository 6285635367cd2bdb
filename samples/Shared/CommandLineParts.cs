using System.CommandLine;
using System.CommandLine.Help;
using System.Globalization;
using HybridCaching;

namespace Samples.Shared;

/// <summary>What the command lines of the samples have in common. Anything wrong with one becomes a <see cref="CannotStartException"/>.</summary>
internal static class CommandLineParts
{
    /// <summary>An option for bytes, such as 32MB.</summary>
    public static Option<ByteSize> Size(string name, string defaultText, string description) => new(name)
    {
        HelpName = "size",
        Description = description,
        DefaultValueFactory = _ => defaultText,
        CustomParser = argument =>
        {
            string text = argument.Tokens[0].Value;
            if (!ByteSize.TryParse(text, CultureInfo.InvariantCulture, out var size)) argument.AddError($"{name} '{text}' is not a size such as 512, 64KB or 32MB");
            return size;
        },
    };

    /// <summary>An option for a whole number between limits.</summary>
    public static Option<int> Count(string name, int defaultCount, int min, int max, string description) => new(name)
    {
        HelpName = "n",
        Description = description,
        DefaultValueFactory = _ => defaultCount,
        CustomParser = argument =>
        {
            string text = argument.Tokens[0].Value;
            bool valid = int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int count) && count >= min && count <= max;
            if (!valid) argument.AddError($"{name} '{text}' is not a number from {min} to {max}");
            return count;
        },
    };

    /// <summary>The parsed command line, or null when it asked for help or the version and got it.</summary>
    public static ParseResult? Parse(RootCommand root, string[] args, out int exitCode)
    {
        var result = root.Parse(args, new ParserConfiguration { ResponseFileTokenReplacer = null });
        exitCode = 0;
        if (result.Action is not HelpAction && (result.Action is null || result.Errors.Count > 0)) return result;
        exitCode = result.Invoke();
        return null;
    }

    public static void ThrowOnErrors(ParseResult result)
    {
        if (result.Errors.Count > 0) throw new CannotStartException(result.Errors[0].Message.TrimEnd('.') + "; --help lists the options");
    }

    public static string FullPath(string name, string path)
    {
        try
        {
            return Path.TrimEndingDirectorySeparator(Path.GetFullPath(path));
        }
        catch (Exception e) when (e is ArgumentException or NotSupportedException or IOException)
        {
            throw new CannotStartException($"{name} '{path}' is not a path");
        }
    }
}
