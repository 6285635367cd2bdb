using System.Reflection;
using System.Text.RegularExpressions;
using HybridCaching.Diagnostics;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace HybridCaching.Tests.Architecture;

/// <summary>The names and conventions that users of other caches expect, and the names that would break their code. Registration itself is tested in Hosting, the package in Packaging.</summary>
public sealed partial class ConventionsTests
{
    private const string RegistrationNamespace = "Microsoft.Extensions.DependencyInjection";

    private static readonly Assembly Library = typeof(FasterDistributedCache).Assembly;

    /// <summary>Reserved, or others'.</summary>
    private static readonly string[] TakenPackageIds =
    [
        "EasyCaching.FasterKv", "CacheWeave.Faster", "Faster.Cachify", "FastCache.Core", "KvCacheStore.Core", "HybridCache.Plus", "HybridCache.Serializers", "HybridCache.Extensions", "HybridRedisCache", "TsavoriteCache",
    ];

    /// <summary>A second one in scope would be ambiguous (CS0121).</summary>
    private static readonly string[] TakenMethodNames =
    [
        "AddDistributedMemoryCache", "AddStackExchangeRedisCache", "AddDistributedSqlServerCache", "AddDistributedPostgresCache", "AddSqliteCache", "AddFileDistributedCache", "AddDistributedFileCache", "AddHybridCache",
        "AddKeyedHybridCache", "AddFusionCache", "AddFasterKvCache", "AddTsavoriteDistributedCache",
    ];

    /// <summary>Names of types that Microsoft or FASTER.core own.</summary>
    private static readonly string[] TakenTypeNames =
    [
        "HybridCache", "MemoryCache", "FusionCache", "DistributedCache", "HybridCacheOptions", "HybridCacheEntryOptions", "HybridCacheServiceExtensions", "IHybridCacheBuilder", "ISystemClock", "Status", "Utility", "Empty", "IFunctions",
        "LogSettings",
    ];

    /// <summary>As a segment of a namespace these would hide the types of the same name in files of consumers (CS0118).</summary>
    private static readonly string[] TakenNamespaceNames = ["HybridCache", "FusionCache", "MemoryCache", "DistributedCache", "FASTER"];

    private static IEnumerable<MethodInfo> Registrations =>
        from type in Library.GetExportedTypes()
        where type.Namespace == RegistrationNamespace
        from method in type.GetMethods(BindingFlags.Public | BindingFlags.Static)
        select method;

    private static Type[] Options => [typeof(FasterCacheOptions), typeof(FasterDistributedCacheOptions)];

    private static string Project => File.ReadAllText(Repository.Combine("src/HybridCaching/HybridCaching.csproj"));

    private static string BuildProperties => File.ReadAllText(Repository.Combine("Directory.Build.props"));

    [Fact]
    public void PackageId_Ours_IsNobodyElses()
    {
        string id = PackageIdElement().Match(Project).Groups[1].Value;

        Assert.Equal(Library.GetName().Name, id);
        Assert.DoesNotMatch("^(Microsoft|Foundatio|FasterKv\\.Cache)", id);
        Assert.DoesNotContain(id, TakenPackageIds, StringComparer.OrdinalIgnoreCase);
    }

    [Fact]
    public void Package_References_AreNeitherAspNetCoreNorOpenTelemetry()
    {
        Assert.DoesNotContain("FrameworkReference", Project, StringComparison.Ordinal);
        Assert.DoesNotContain(Library.GetReferencedAssemblies(), a => a.Name!.StartsWith("Microsoft.AspNetCore", StringComparison.Ordinal) || a.Name.StartsWith("OpenTelemetry", StringComparison.Ordinal));
    }

    /// <summary>Serializers are packages of their own: values are bytes or unmanaged.</summary>
    [Fact]
    public void Package_References_AreNoSerializers() =>
        Assert.DoesNotContain(PackageReferences().Matches(Project).Select(m => m.Groups[1].Value), id => SerializerName().IsMatch(id));

    [Fact]
    public void Registrations_Classes_AreNamedForWhatTheyExtend() =>
        Violations.AssertNone(from method in Registrations
                              let extended = method.GetParameters()[0].ParameterType.Name[1..]
                              where !method.DeclaringType!.Name.EndsWith($"{extended}Extensions", StringComparison.Ordinal)
                              select $"{method.DeclaringType!.Name}.{method.Name} extends {extended}");

    [Fact]
    public void Registrations_Methods_ReturnWhatTheyExtend() =>
        Violations.AssertNone(from method in Registrations where method.ReturnType != method.GetParameters()[0].ParameterType select $"{method.Name} returns {method.ReturnType.Name}");

    [Fact]
    public void Registrations_MethodNames_AreNobodyElses() => Assert.Empty(Registrations.Select(m => m.Name).Intersect(TakenMethodNames));

    /// <summary>(), (Action), (IConfiguration), each also with a key.</summary>
    [Theory]
    [InlineData("AddFasterDistributedCache", typeof(FasterDistributedCacheOptions), false)]
    [InlineData("AddKeyedFasterDistributedCache", typeof(FasterDistributedCacheOptions), true)]
    [InlineData("AddFasterCache", typeof(FasterCacheOptions), false)]
    [InlineData("AddKeyedFasterCache", typeof(FasterCacheOptions), true)]
    public void Registrations_Overloads_AreTheThreeUsualOnes(string name, Type options, bool isKeyed)
    {
        var overloads = Registrations
            .Where(m => m.Name == name && m.ReturnType == typeof(IServiceCollection))
            .Select(m => m.GetParameters().Skip(isKeyed ? 2 : 1).Select(p => p.ParameterType).SingleOrDefault());

        Assert.Equal(
            new HashSet<Type?> { null, typeof(Action<>).MakeGenericType(options), typeof(IConfiguration) },
            overloads.ToHashSet());
        Assert.All(Registrations.Where(m => m.Name == name && isKeyed), m => Assert.Equal((typeof(object), "serviceKey"), (m.GetParameters()[1].ParameterType, m.GetParameters()[1].Name)));
    }

    [Fact]
    public void Options_Types_AreTheirOwnIOptions() => Assert.All(Options, type =>
    {
        var own = typeof(IOptions<>).MakeGenericType(type);
        object options = Activator.CreateInstance(type)!;

        Assert.True(own.IsAssignableFrom(type), type.Name);
        Assert.Same(options, own.GetProperty("Value")!.GetValue(options));
        Assert.DoesNotContain(type.GetProperties(), p => p.Name == "Value");
    });

    [Fact]
    public void Options_Properties_CanBeReadAndSet() =>
        Assert.All(Options.SelectMany(type => type.GetProperties()), p => Assert.True(p.GetMethod?.IsPublic == true && p.SetMethod?.IsPublic == true && !IsInit(p), p.Name));

    [Fact]
    public void Options_OfACache_AreTakenByItsConstructor() => Assert.All([typeof(FasterDistributedCache), typeof(FasterCache<long, long>)], type =>
    {
        var parameters = type.GetConstructors().Select(c => c.GetParameters()[0].ParameterType).ToList();

        Assert.Contains(parameters, Options.Contains);
        Assert.Contains(parameters, p => p.IsGenericType && p.GetGenericTypeDefinition() == typeof(IOptions<>));
    });

    /// <summary>What others call by a name is not called by another one here.</summary>
    [Fact]
    public void Options_Names_AreThoseUsersKnow()
    {
        var names = typeof(FasterDistributedCacheOptions).GetProperties().Select(p => p.Name).ToList();

        Assert.Subset(names.ToHashSet(), new HashSet<string> { "TimeProvider", "DefaultSlidingExpiration" });
        Assert.DoesNotContain(names, name => name is "Clock" or "SystemClock" or "KeyPrefix" or "Prefix" or "SlidingExpiration" or "DefaultSlidingWindow" or "ScanInterval" or "CleanupInterval");
    }

    [Fact]
    public void Options_Sizes_AreBytes() =>
        Violations.AssertNone(from type in Options
                              from property in type.GetProperties()
                              where SizeName().IsMatch(property.Name) != ((Nullable.GetUnderlyingType(property.PropertyType) ?? property.PropertyType) == typeof(ByteSize)) || property.Name.EndsWith("Bits", StringComparison.Ordinal)
                              select $"{type.Name}.{property.Name} is a {property.PropertyType.Name}");

    [Fact]
    public void Options_SizesThatAreNoPowersOfTwo_AreRoundedInside()
    {
        using var cache = new FasterDistributedCache(new FasterDistributedCacheOptions { MemoryBudget = 33_333_333 });

        Assert.Equal(33_333_333, cache.GetMemoryUsage().Budget);
        Assert.InRange(cache.GetMemoryUsage().Total, 1, 33_333_333);
    }

    [Fact]
    public void Options_TextInConfiguration_Binds()
    {
        var section = new ConfigurationBuilder().AddInMemoryCollection([new("MemoryBudget", "2GB"), new("MaximumValueBytes", "1048576"), new("DefaultTimeToLive", "00:10:00")]).Build();
        using var provider = new ServiceCollection().AddFasterDistributedCache(section).BuildServiceProvider();
        var options = provider.GetRequiredService<IOptions<FasterDistributedCacheOptions>>().Value;

        Assert.Equal((new ByteSize(2L << 30), new ByteSize(1 << 20), TimeSpan.FromMinutes(10)), (options.MemoryBudget, options.MaximumValueBytes, options.DefaultTimeToLive));
    }

    /// <summary>Two settings that do not go together: the message names both and both values.</summary>
    [Fact]
    public async Task Validation_AtStart_NamesBothSettingsAndValues()
    {
        using var directory = new TestDirectory();
        using var host = Hosting.App.NewBytes(directory.Path, change: o => (o.MemoryBudget, o.DiskBudget) = ("16MB", "1TB"));
        var refusal = await Assert.ThrowsAsync<ArgumentException>(() => host.StartAsync());

        Assert.All(["MemoryBudget", "16MB", "DiskBudget", "1TB"], part => Assert.Contains(part, refusal.Message, StringComparison.Ordinal));
    }

    [Fact]
    public void Caches_Bytes_AreBothInterfaces() => Assert.True(typeof(IBufferDistributedCache).IsAssignableFrom(typeof(FasterDistributedCache)));

    [Fact]
    public void Types_Names_AreNobodyElses() => Assert.Empty(Library.GetTypes().Where(t => t.Namespace?.StartsWith(ImportRules.Root, StringComparison.Ordinal) == true).Select(t => t.Name.Split('`')[0]).Intersect(TakenTypeNames));

    [Fact]
    public void Types_Names_AreNotThatOfTheirNamespace() =>
        Violations.AssertNone(from type in Library.GetTypes() where type.Namespace is not null && !type.IsNested && type.Namespace.Split('.')[^1] == type.Name.Split('`')[0] select type.FullName);

    [Fact]
    public void Namespaces_Segments_HideNobodysType() => Assert.Empty(Library.GetTypes().SelectMany(t => t.Namespace?.Split('.') ?? []).Distinct().Intersect(TakenNamespaceNames));

    [Fact]
    public void Namespaces_OfThePublicTypes_AreTwo() => Assert.Equal(["HybridCaching", RegistrationNamespace], Library.GetExportedTypes().Select(t => t.Namespace).Distinct().Order());

    [Fact]
    public void Metrics_Meter_IsNamedForThePackage() => Assert.Equal(CacheInstruments.Name, Library.GetName().Name);

    [Fact]
    public void Repository_Habits_AreKept()
    {
        Assert.Contains("<ManagePackageVersionsCentrally>true</ManagePackageVersionsCentrally>", File.ReadAllText(Repository.Combine("Directory.Packages.props")), StringComparison.Ordinal);
        Assert.Contains("<IsPackable>false</IsPackable>", BuildProperties, StringComparison.Ordinal);
        Assert.Contains("<IsPackable>true</IsPackable>", Project, StringComparison.Ordinal);
        Assert.Contains("<SymbolPackageFormat>snupkg</SymbolPackageFormat>", Project, StringComparison.Ordinal);
        Assert.Contains("<PackageReadmeFile>README.md</PackageReadmeFile>", Project, StringComparison.Ordinal);
        Assert.Contains("<IsAotCompatible>true</IsAotCompatible>", Project, StringComparison.Ordinal);
    }

    [Fact]
    public void Repository_Projects_NameNoVersions() =>
        Violations.AssertNone(from path in Repository.Files
                              where path.EndsWith(".csproj", StringComparison.Ordinal)
                              from Match match in PackageVersionInProject().Matches(File.ReadAllText(Repository.Combine(path)))
                              select $"{path}: {match.Value}");

    private static bool IsInit(PropertyInfo property) => property.SetMethod!.ReturnParameter.GetRequiredCustomModifiers().Contains(typeof(System.Runtime.CompilerServices.IsExternalInit));

    [GeneratedRegex("<PackageId>(.*)</PackageId>")]
    private static partial Regex PackageIdElement();

    [GeneratedRegex("<PackageReference Include=\"([^\"]*)\"")]
    private static partial Regex PackageReferences();

    [GeneratedRegex("Json|MessagePack|MemoryPack|Protobuf|Serializ", RegexOptions.IgnoreCase)]
    private static partial Regex SerializerName();

    [GeneratedRegex("(Budget|Bytes|Size|Limit)$")]
    private static partial Regex SizeName();

    [GeneratedRegex("<PackageReference [^>]* Version=\"[^\"]*\"")]
    private static partial Regex PackageVersionInProject();
}
