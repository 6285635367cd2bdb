using System.Text.RegularExpressions;
using HybridCaching.Tests.Architecture;

namespace HybridCaching.Tests.Samples;

/// <summary>The links of a page to other files of the repository.</summary>
internal static partial class PageLinks
{
    /// <summary>What the links outside of blocks of code lead to; addresses on the web are left out.</summary>
    public static IEnumerable<string> In(string text) =>
        from Match link in Link().Matches(Block().Replace(text, ""))
        let target = link.Groups["target"].Value
        where !target.Contains("://", StringComparison.Ordinal) && !target.StartsWith("mailto:", StringComparison.Ordinal)
        select target;

    /// <summary>Whether there is such a file or folder, and in a file such a heading.</summary>
    public static bool IsThere(string page, string target)
    {
        string[] parts = target.Split('#', 2);
        string path = parts[0].Length == 0 ? Repository.Combine(page) : Path.Combine(Path.GetDirectoryName(Repository.Combine(page))!, parts[0]);
        if (parts.Length == 1 || !path.EndsWith(".md", StringComparison.Ordinal)) return Path.Exists(path);
        return File.Exists(path) && Anchors(File.ReadAllText(path)).Contains(parts[1]);
    }

    /// <summary>The names that a page's headings get: their letters and digits, small, with hyphens for blanks.</summary>
    public static IEnumerable<string> Anchors(string text) =>
        from Match heading in Heading().Matches(Block().Replace(text, ""))
        select NotInAnchors().Replace(heading.Groups["text"].Value.Trim().ToLowerInvariant(), "").Replace(' ', '-');

    [GeneratedRegex(@"\[[^\]\n]*\]\((?<target>[^)\s]+)\)")]
    private static partial Regex Link();

    [GeneratedRegex(@"^[ ]*```.*?^[ ]*```[^\n]*$", RegexOptions.Multiline | RegexOptions.Singleline)]
    private static partial Regex Block();

    [GeneratedRegex(@"^\#{1,6} (?<text>[^\n]+)$", RegexOptions.Multiline)]
    private static partial Regex Heading();

    [GeneratedRegex(@"[^\p{L}\p{N} _-]")]
    private static partial Regex NotInAnchors();
}
