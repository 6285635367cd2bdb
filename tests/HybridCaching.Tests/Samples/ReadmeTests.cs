using HybridCaching.Tests.Architecture;

namespace HybridCaching.Tests.Samples;

public sealed class ReadmeTests
{
    [Fact]
    public void Readme_CodeBlock_IsTheQuickstartSample()
    {
        string readme = File.ReadAllText(Path.Combine(Repository.Root, "README.md"));
        string block = readme.Split("```csharp\n")[1].Split("```")[0];

        Assert.Equal(File.ReadAllText(Path.Combine(Repository.Root, "samples", "Quickstart", "Program.cs")), block);
    }
}
