using HybridCaching.Tests.Architecture;

namespace HybridCaching.Tests.Samples;

/// <summary>What the pages show is code that is built with them.</summary>
public sealed class DocumentationTests
{
    private static readonly string[] Pages = [.. Repository.Files.Where(IsPage)];

    private static readonly CodeBlock[] Blocks = [.. Pages.SelectMany(page => CodeBlock.Of(page, Read(page)))];

    private static readonly string[] Samples = [.. Repository.Files.Where(path => path.StartsWith("samples/", StringComparison.Ordinal) && path.EndsWith(".cs", StringComparison.Ordinal)).Select(Read)];

    public static TheoryData<string, int> CompiledBlocks { get; } = new(Blocks.Where(block => !block.IsExempt).Select(block => (block.Page, block.Line)));

    [Theory]
    [InlineData("README.md")]
    [InlineData("SECURITY.md")]
    [InlineData("docs/migrating.md")]
    public void Pages_ForUsers_AreFound(string page) => Assert.Contains(page, Pages);

    [Theory]
    [MemberData(nameof(CompiledBlocks))]
    public void CodeBlock_OfAPage_IsInASample(string page, int line)
    {
        var block = Blocks.Single(block => block.Page == page && block.Line == line);

        Assert.True(Samples.Any(block.IsIn), $"{page}:{line} is in no file below samples/, as it is. Change both; or say \"not compiled here\" in the line before the block, and why.");
    }

    /// <summary>They are there to be read in the README.</summary>
    [Theory]
    [InlineData("samples/Quickstart/Program.cs")]
    [InlineData("samples/DistributedQuickstart/Program.cs")]
    public void Quickstart_AsAWhole_IsABlockOfTheReadme(string sample) =>
        Assert.Contains(Blocks, block => block.Page == "README.md" && string.Join('\n', block.Lines).Trim() == Read(sample).Trim());

    /// <summary>A link to a file that was renamed leads nowhere.</summary>
    [Fact]
    public void Links_ToFiles_LeadToOne() =>
        Violations.AssertNone(from page in Pages
                              from target in PageLinks.In(Read(page))
                              where !PageLinks.IsThere(page, target)
                              select $"{page}: {target}");

    private static bool IsPage(string path) => path is "README.md" or "SECURITY.md" || (path.StartsWith("docs/", StringComparison.Ordinal) && path.EndsWith(".md", StringComparison.Ordinal));

    private static string Read(string path) => File.ReadAllText(Repository.Combine(path));
}
