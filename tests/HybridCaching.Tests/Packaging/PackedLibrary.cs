using System.Globalization;
using System.IO.Compression;
using System.Xml.Linq;
using HybridCaching.Tests.Architecture;

namespace HybridCaching.Tests.Packaging;

/// <summary>The package, packed once from the build under test. Its version is new each time, so that no package cache holds an older one.</summary>
public sealed class PackedLibrary : IAsyncLifetime
{
    private readonly TestDirectory _directory = new();

    public string Version { get; } = $"0.0.1-test.{Environment.TickCount64.ToString(CultureInfo.InvariantCulture)}.{Environment.ProcessId.ToString(CultureInfo.InvariantCulture)}";

    public string Feed => _directory.Path;

    public string PackagePath => _directory.Combine($"HybridCaching.{Version}.nupkg");

    public string SymbolsPath => _directory.Combine($"HybridCaching.{Version}.snupkg");

    private static string Configuration => new DirectoryInfo(AppContext.BaseDirectory).Parent!.Name;

    public async ValueTask InitializeAsync() =>
        await DotnetCommand.RunAsync(Repository.Root, "pack", "src/HybridCaching", "-c", Configuration, "--no-build", "-o", Feed, $"-p:Version={Version}");

    public ValueTask DisposeAsync()
    {
        _directory.Dispose();
        File.Delete(Repository.Combine($"src/HybridCaching/obj/{Configuration}/HybridCaching.{Version}.nuspec"));
        return ValueTask.CompletedTask;
    }

    public XElement ReadMetadata()
    {
        using var package = ZipFile.OpenRead(PackagePath);
        using var stream = package.GetEntry("HybridCaching.nuspec")!.Open();
        var root = XDocument.Load(stream).Root!;
        return root.Element(root.Name.Namespace + "metadata")!;
    }

    /// <summary>Writes the project file of an application that references the package, and where it comes from.</summary>
    /// <param name="scratch">Where to.</param>
    /// <param name="properties">More properties of the project.</param>
    /// <param name="references">More references.</param>
    public void WriteProject(TestDirectory scratch, string properties, string references = "")
    {
        // Not every feed holds the version of System.Interactive.Async that FASTER names; FASTER's own assembly never loads it.
        File.WriteAllText(scratch.Combine("Scratch.csproj"), $"""
            <Project Sdk="Microsoft.NET.Sdk">
              <PropertyGroup>
                <OutputType>Exe</OutputType>
                <TargetFramework>net10.0</TargetFramework>
                <ImplicitUsings>enable</ImplicitUsings>
                {properties}
                <NuGetAudit>false</NuGetAudit>
                <NoWarn>NU1605;NU1603</NoWarn>
              </PropertyGroup>
              <ItemGroup>
                <PackageReference Include="HybridCaching" Version="[{Version}]" />
                <PackageReference Include="System.Interactive.Async" Version="4.0.0" ExcludeAssets="all" />
                {references}
              </ItemGroup>
            </Project>
            """);
        File.WriteAllText(scratch.Combine("NuGet.config"), $"""
            <configuration>
              <config>
                <add key="globalPackagesFolder" value="{scratch.Combine("packages")}" />
              </config>
              <packageSources>
                <add key="packed" value="{Feed}" />
              </packageSources>
              <fallbackPackageFolders>
                <add key="machine" value="{MachinePackages()}" />
              </fallbackPackageFolders>
            </configuration>
            """);
    }

    private static string MachinePackages() =>
        Environment.GetEnvironmentVariable("NUGET_PACKAGES")
        ?? Path.Combine(Environment.GetFolderPath(Environment.SpecialFolder.UserProfile), ".nuget", "packages");

    public static IReadOnlyList<string> ReadEntries(string path)
    {
        using var package = ZipFile.OpenRead(path);
        return [.. package.Entries.Select(entry => entry.FullName)];
    }
}
