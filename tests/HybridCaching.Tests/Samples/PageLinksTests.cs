namespace HybridCaching.Tests.Samples;

public sealed class PageLinksTests
{
    [Fact]
    public void In_LinksOfAllKinds_AreThoseToFiles() =>
        Assert.Equal(["b.md", "#c", "d.md#e"], PageLinks.In("[a](b.md) [a](#c)\n[a](https://example.org/x) [a](d.md#e)"));

    [Fact]
    public void In_BlockOfCode_HasNone() => Assert.Empty(PageLinks.In("```csharp\nA[b](c);\n```"));

    [Theory]
    [InlineData("## 1 and 2: where the cache is", "1-and-2-where-the-cache-is")]
    [InlineData("# User, group and modes", "user-group-and-modes")]
    [InlineData("### From FasterKv.Cache", "from-fasterkvcache")]
    public void Anchors_Heading_IsItsWords(string heading, string anchor) => Assert.Equal([anchor], PageLinks.Anchors($"text\n{heading}\ntext"));

    [Theory]
    [InlineData("docs/tuning.md", true)]
    [InlineData("benchmarks/results", true)]
    [InlineData("docs/tuning.md#what-to-look-at", true)]
    [InlineData("docs/tuning.md#what-to-look-for", false)]
    [InlineData("docs/turning.md", false)]
    [InlineData("docs/turning.md#what-to-look-at", false)]
    public void IsThere_FromTheReadme_IsWhetherThereIsOne(string target, bool isThere) => Assert.Equal(isThere, PageLinks.IsThere("README.md", target));
}
