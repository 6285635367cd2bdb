using System.Text;
using System.Text.RegularExpressions;

namespace HybridCaching.Tests.Architecture;

/// <summary>What a C# file declares and imports, read from its text without a compiler.</summary>
internal sealed partial record SourceFile(string Path, string Text)
{
    /// <summary>The text without comments and without the contents of strings.</summary>
    public string Code => field ??= CommentsAndLiterals().Replace(Text, match => match.Value.StartsWith('/') ? " " : "\"\"");

    /// <summary>The code outside every pair of braces: file-scoped namespaces leave imports and type declarations there.</summary>
    public string TopLevel => field ??= OutsideBraces(Code);

    /// <summary>The project below src: "HybridCaching" for src/HybridCaching/Store/Foo.cs.</summary>
    public string Project => Path.Split('/')[1];

    /// <summary>The folders between the project and the file: "Store" for src/HybridCaching/Store/Foo.cs.</summary>
    public string Folder => string.Join('/', Path.Split('/')[2..^1]);

    public int LineCount => Text.AsSpan().Count('\n') + (Text.EndsWith('\n') ? 0 : 1);

    public string? Namespace => NamespaceLine().Match(TopLevel) is { Success: true } match ? match.Groups["name"].Value : null;

    /// <summary>Each name in a using directive, with both sides of an alias and the type arguments on the right of it.</summary>
    public IEnumerable<string> Imports =>
        from Match directive in UsingDirective().Matches(TopLevel)
        from Match name in DottedName().Matches(directive.Groups["target"].Value)
        select name.Value;

    /// <summary>The names of the types declared at the top level; delegates excepted, they may stand beside the type they serve.</summary>
    public IEnumerable<string> TopLevelTypes => TypeDeclaration().Matches(TopLevel).Select(match => match.Groups["name"].Value);

    private static string OutsideBraces(string code)
    {
        var outside = new StringBuilder(code.Length);
        int depth = 0;
        foreach (char c in code)
        {
            if (c == '}') depth--;
            if (depth == 0) outside.Append(c);
            if (c == '{') depth++;
        }

        return outside.ToString();
    }

    [GeneratedRegex("""
        //[^\n]* | /\*.*?\*/ | (?<quotes>"{3,}).*?\k<quotes> | [$@]*@[$@]*"(?:""|[^"])*" | "(?:\\.|[^"\\\n])*" | '(?:\\.[^'\n]*|[^'\\\n])'
        """, RegexOptions.Singleline | RegexOptions.IgnorePatternWhitespace)]
    private static partial Regex CommentsAndLiterals();

    [GeneratedRegex(@"\bnamespace\s+(?<name>[\w.]+)")]
    private static partial Regex NamespaceLine();

    [GeneratedRegex(@"^\s*(?:global\s+)?using\s+(?:static\s+|unsafe\s+)*(?:\w+\s*=\s*)?(?<target>[^;]+);", RegexOptions.Multiline)]
    private static partial Regex UsingDirective();

    [GeneratedRegex(@"(?<!global::[\w.]*)(?<=^|[^\w.])(?:global::)?\w[\w.]*")]
    private static partial Regex DottedName();

    [GeneratedRegex(@"\b(?:class|struct|interface|enum|record)\s+(?!class\b|struct\b|where\b)(?<name>\w+)")]
    private static partial Regex TypeDeclaration();
}
