namespace HybridCaching.Tests.Samples;

public sealed class CodeBlockTests
{
    private const string Source = "class A\n{\n    void B()\n    {\n        if (c)   \n\n            d();\n    }\n}\n";

    [Theory]
    [InlineData("```csharp")]
    [InlineData("```cs")]
    [InlineData("```C#")]
    [InlineData("   ```csharp title")]
    public void Of_FenceThatNamesCSharp_IsABlock(string fence)
    {
        var block = Assert.Single(CodeBlock.Of("a.md", $"text\n{fence}\nA();\nB();\n```\ntext"));

        Assert.Equal(("a.md", 2, false), (block.Page, block.Line, block.IsExempt));
        Assert.Equal(["A();", "B();"], block.Lines);
    }

    [Theory]
    [InlineData("```\nA();\n```")]
    [InlineData("```yaml\ncsharp: 1\n```")]
    [InlineData("```csv\n1\n```")]
    [InlineData("A `csharp` word")]
    public void Of_OtherText_IsNone(string text) => Assert.Empty(CodeBlock.Of("a.md", text));

    [Fact]
    public void Of_SeveralBlocks_AreAllFound() => Assert.Equal([1, 7], CodeBlock.Of("a.md", "```csharp\nA();\n```\n```json\n{}\n```\n```csharp\nB();\n```").Select(block => block.Line));

    [Fact]
    public void Of_LineBeforeSaysNotCompiled_IsExempt() => Assert.True(Assert.Single(CodeBlock.Of("a.md", "Its package is missing, so this is not compiled here:\n```csharp\nA();\n```")).IsExempt);

    [Fact]
    public void Of_EarlierLineSaysNotCompiled_IsNotExempt() => Assert.False(Assert.Single(CodeBlock.Of("a.md", "not compiled here\n\n```csharp\nA();\n```")).IsExempt);

    [Theory]
    [InlineData("        if (c)   \n\n            d();")]
    [InlineData("if (c)\n\n    d();")]
    [InlineData("if (c)\n  \n    d(); ")]
    [InlineData("  {\n      if (c)\n\n          d();\n  }")]
    public void IsIn_SameLinesAtAnyDepth_IsTrue(string code) => Assert.True(BlockOf(code).IsIn(Source));

    [Theory]
    [InlineData("if (c)\n\nd();")]
    [InlineData("if (c)\n    d();")]
    [InlineData("if (c)\n\n    e();")]
    [InlineData("if (c)\n\n    d();\n\n}")]
    [InlineData("f (c)")]
    [InlineData("")]
    [InlineData("\n")]
    public void IsIn_OtherLines_IsFalse(string code) => Assert.False(BlockOf(code).IsIn(Source));

    private static CodeBlock BlockOf(string code) => Assert.Single(CodeBlock.Of("a.md", $"```csharp\n{code}\n```"));
}
