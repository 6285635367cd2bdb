using System.Text.RegularExpressions;

namespace HybridCaching.Tests.Architecture;

public sealed partial class SourceFileTests
{
    private const int MaxLines = 400;

    private static readonly string[] TextExtensions =
        [".cs", ".csproj", ".props", ".targets", ".sln", ".md", ".json", ".txt", ".csv", ".yml", ".yaml", ".xml", ".config", ".sh", ".html", ".editorconfig", ".gitignore", ""];

    [Fact]
    public void SourceFiles_Found_AreMany() => Assert.True(Repository.SourceFiles.Count > 5, $"only {Repository.SourceFiles.Count} files below {Repository.Root}");

    [Fact]
    public void SourceFiles_Length_IsAtMost400Lines() =>
        Violations.AssertNone(from file in Repository.SourceFiles where file.LineCount > MaxLines select $"{file.Path}: {file.LineCount} lines");

    [Fact]
    public void SourceFiles_UnfinishedWork_IsNone() =>
        Violations.AssertNone(from file in Repository.SourceFiles from Match mark in Unfinished().Matches(file.Text) select $"{file.Path}: {mark.Value}");

    [Fact]
    public void SourceFiles_TopLevelTypes_AreOneEach() =>
        Violations.AssertNone(from file in Repository.SourceFiles where file.TopLevelTypes.Count() > 1 select $"{file.Path}: {string.Join(", ", file.TopLevelTypes)}");

    [Fact]
    public void SourceFiles_Name_IsTheTypeAndItsTopic() =>
        Violations.AssertNone(from file in Repository.SourceFiles
                              from type in file.TopLevelTypes
                              where Path.GetFileName(file.Path).Split('.')[0] != type
                              select $"{file.Path}: {type}");

    [Fact]
    public void SourceFiles_Namespace_IsTheFolder() =>
        Violations.AssertNone(from file in Repository.SourceFiles
                              where file.Namespace is not null && file.Namespace != ExpectedNamespace(file) && !IsRegistration(file)
                              select $"{file.Path}: {file.Namespace}");

    [Fact]
    public void SourceFiles_Folder_IsARoomOfTheDesign() =>
        Violations.AssertNone(from file in Repository.SourceFiles where file.Project == ImportRules.Root && !ImportRules.IsRoom(file.Folder) select file.Path);

    [Fact]
    public void TrackedFiles_MachinePathsAndRegistryHosts_AreNone() =>
        Violations.AssertNone(from path in Repository.Files
                              where TextExtensions.Contains(Path.GetExtension(path))
                              from Match match in MachineSpecific().Matches(File.ReadAllText(Repository.Combine(path)))
                              select $"{path}: {match.Value}");

    [Theory]
    [InlineData("see /" + "home/ann/cache")]
    [InlineData("see /" + "root/.config")]
    [InlineData("C:\\" + "Users\\ann\\cache")]
    [InlineData("https:" + "//api.nuget.org/v3")]
    [InlineData("http:" + "//registry.example/feed")]
    public void MachineSpecific_ForbiddenText_IsFound(string text) => Assert.Matches(MachineSpecific(), text);

    [Theory]
    [InlineData("src/home/file and https://example.org/home/page/")]
    [InlineData("https://schemas.microsoft.com/packaging/2013/05/nuspec.xsd")]
    public void MachineSpecific_HarmlessText_IsNotFound(string text) => Assert.DoesNotMatch(MachineSpecific(), text);

    [Theory]
    [InlineData("// TO" + "DO later")]
    [InlineData("throw new NotImplemented" + "Exception();")]
    [InlineData("#region A")]
    public void Unfinished_ForbiddenText_IsFound(string text) => Assert.Matches(Unfinished(), text);

    [Fact]
    public void TopLevelTypes_NestedTypesStringsAndConstraints_AreNotCounted()
    {
        var file = new SourceFile("src/HybridCaching/A.cs", """
            // class InComment
            namespace HybridCaching;
            internal delegate int Callback(int x);
            public sealed record struct A<T>(string Name = "{ class InString") where T : class where U : struct
            {
                private const char Brace = '{';
                private string Text => $"{Name} class InHole }}";
                private class Nested { enum Deeper { } }
            }
            internal interface IB;
            """);

        Assert.Equal(["A", "IB"], file.TopLevelTypes);
    }

    [Fact]
    public void LineCount_TextWithoutFinalNewline_CountsTheLastLine() => Assert.Equal(2, new SourceFile("src/HybridCaching/A.cs", "a\nb").LineCount);

    private static string ExpectedNamespace(SourceFile file) => string.Join('.', file.Folder.Split('/', StringSplitOptions.RemoveEmptyEntries).Prepend(file.Project));

    private static bool IsRegistration(SourceFile file) =>
        file is { Folder: "", Namespace: ImportRules.RegistrationNamespace } && file.Path.EndsWith("Extensions.cs", StringComparison.Ordinal);

    [GeneratedRegex(@"\b(?:TO[D]O|FIX[M]E|HAC[K])\b|NotImplemented[E]xception|#region")]
    private static partial Regex Unfinished();

    [GeneratedRegex(@"(?<![\w.-])/(?:home|root|work|Users)/[\w.]|\b[A-Za-z]:\\+Users\\+\w|https?://[^\s""]*(?:nuget|npm|debian|registry)[^\s""]*")]
    private static partial Regex MachineSpecific();
}
