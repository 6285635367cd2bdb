using System.Text.RegularExpressions;

namespace HybridCaching.CrashTests;

/// <summary>The named points of the library, as its source has them.</summary>
internal static partial class FaultPoints
{
    public static IReadOnlyList<string> All { get; } = Find();

    /// <summary>Those of a cache that takes over a folder which it did not get at first: they need another process.</summary>
    public static bool IsOfTakeOver(string point) => point.StartsWith("takeover.", StringComparison.Ordinal);

    private static List<string> Find()
    {
        var folder = new DirectoryInfo(AppContext.BaseDirectory);
        while (folder is not null && !File.Exists(Path.Combine(folder.FullName, "HybridCache.sln"))) folder = folder.Parent;
        string source = Path.Combine(folder?.FullName ?? throw new InvalidOperationException("The source is not above the tests."), "src", "HybridCaching");
        return
        [
            .. Directory.EnumerateFiles(source, "*.cs", SearchOption.AllDirectories)
                .SelectMany(static file => Point().Matches(File.ReadAllText(file)))
                .Select(static match => match.Groups[1].Value)
                .Distinct().Order(StringComparer.Ordinal),
        ];
    }

    [GeneratedRegex("""\bFault\.Point\("([^"]+)"\)""")]
    private static partial Regex Point();
}
