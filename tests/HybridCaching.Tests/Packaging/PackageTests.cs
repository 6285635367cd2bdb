using System.Text.RegularExpressions;
using System.Xml.Linq;
using HybridCaching.Tests.Architecture;

namespace HybridCaching.Tests.Packaging;

[Trait("Category", "Packaging")]
public sealed partial class PackageTests(PackedLibrary packed) : IClassFixture<PackedLibrary>
{
    [Fact]
    public void Pack_Package_HoldsLibraryDocumentationAndReadme() =>
        Assert.Subset(PackedLibrary.ReadEntries(packed.PackagePath).ToHashSet(), new HashSet<string> { "lib/net10.0/HybridCaching.dll", "lib/net10.0/HybridCaching.xml", "README.md" });

    [Fact]
    public void Pack_Readme_LinksToWhatThePackageHolds()
    {
        var entries = PackedLibrary.ReadEntries(packed.PackagePath);
        string[] links = [.. RelativeLinks().Matches(File.ReadAllText(Repository.Combine("README.md"))).Select(link => link.Groups[1].Value)];

        Assert.NotEmpty(links);
        Assert.All(links, link => Assert.Contains(entries, entry => entry == link || entry.StartsWith($"{link}/", StringComparison.Ordinal)));
    }

    [Fact]
    public void Pack_SymbolPackage_HoldsTheSymbols() => Assert.Contains("lib/net10.0/HybridCaching.pdb", PackedLibrary.ReadEntries(packed.SymbolsPath));

    [Fact]
    public void Nuspec_Readme_IsNamed() => Assert.Equal("README.md", Child(packed.ReadMetadata(), "readme").Value);

    [Fact]
    public void Nuspec_License_IsTheMitExpression()
    {
        var license = Child(packed.ReadMetadata(), "license");

        Assert.Equal(("expression", "MIT"), (license.Attribute("type")?.Value, license.Value));
    }

    [Fact]
    public void Nuspec_Engine_IsAPlainDependencyOnExactlyThisVersion() => Assert.Equal("[2.6.5]", Dependencies().Single(dependency => dependency.Id == "Microsoft.FASTER.Core").Version);

    /// <summary>What it brings along would be ambiguous beside .NET's own LINQ.</summary>
    [Fact]
    public void Nuspec_Engine_IsNotCompiledAgainst() =>
        Assert.Contains("Compile", packed.ReadMetadata().Descendants().Single(e => e.Attribute("id")?.Value == "Microsoft.FASTER.Core").Attribute("exclude")!.Value, StringComparison.Ordinal);

    [Fact]
    public void Nuspec_OtherDependencies_AreMicrosoftExtensionsOnly() =>
        Assert.All(Dependencies().Where(dependency => dependency.Id != "Microsoft.FASTER.Core"), dependency => Assert.StartsWith("Microsoft.Extensions.", dependency.Id));

    [Fact]
    public void Nuspec_PinOfTheEnginesDependency_DoesNotLeak() => Assert.DoesNotContain("System.Interactive.Async", packed.ReadMetadata().ToString());

    [Fact]
    public async Task Package_InstalledInAScratchApplication_FindsItsEntryAfterReopening()
    {
        using var scratch = new TestDirectory();
        WriteApplication(scratch);

        await DotnetCommand.RunAsync(scratch.Path, "build", "Scratch.csproj", "-c", "Release", "-o", scratch.Combine("out"));
        string output = await DotnetCommand.RunAsync(scratch.Path, scratch.Combine("out/Scratch.dll"), scratch.Combine("cache"));

        Assert.Equal("OK", output.Trim());
    }

    private void WriteApplication(TestDirectory scratch)
    {
        packed.WriteProject(scratch, "<UseAppHost>false</UseAppHost>");
        File.WriteAllText(scratch.Combine("Program.cs"), """
            using HybridCaching;

            using (var cache = new FasterCache<long, long>(Options()))
            {
                cache.Set(1, 42);
                if (!cache.TryGet(1, out long value) || value != 42) return Fail("the value was not found in the cache that stored it");
                if (await Numbers().Where(n => n > 1).CountAsync() != 1) return Fail("LINQ counts wrongly");
            }

            using (var cache = new FasterCache<long, long>(Options()))
            {
                if (!cache.TryGet(1, out long value) || value != 42) return Fail("the value was not found after reopening the directory");
            }

            Console.WriteLine("OK");
            return 0;

            FasterCacheOptions Options() => new() { Directory = args[0], MemoryBudget = "32MB", WhenDirectoryUnavailable = DirectoryUnavailable.Throw };

            static async IAsyncEnumerable<int> Numbers()
            {
                await Task.Yield();
                yield return 1;
                yield return 2;
            }

            static int Fail(string reason)
            {
                Console.Error.WriteLine(reason);
                return 1;
            }
            """);
    }

    private IEnumerable<(string Id, string Version)> Dependencies() =>
        from dependency in packed.ReadMetadata().Descendants()
        where dependency.Name.LocalName == "dependency"
        select (dependency.Attribute("id")!.Value, dependency.Attribute("version")!.Value);

    [GeneratedRegex(@"\]\((?!https?:)([^)#]+)")]
    private static partial Regex RelativeLinks();

    private static XElement Child(XElement parent, string name) => parent.Element(parent.Name.Namespace + name)!;
}
