using System.Reflection;

namespace HybridCaching.Tests.Architecture;

public sealed class ImportDirectionTests
{
    private static readonly Assembly Library = typeof(FasterCacheOptions).Assembly;

    public static TheoryData<string, string> ForbiddenSources => new()
    {
        { "src/HybridCaching/Store/A.cs", "using HybridCaching.Tiering;" },
        { "src/HybridCaching/Store/A.cs", "using HybridCaching.HotTier;" },
        { "src/HybridCaching/Store/A.cs", "using static HybridCaching.Recovery.Manifest;" },
        { "src/HybridCaching/Store/A.cs", "using Plan = System.Collections.Generic.List<HybridCaching.Tiering.Mover>;" },
        { "src/HybridCaching/Store/A.cs", "namespace HybridCaching.Store;\nusing Tiering;" },
        { "src/HybridCaching/Store/A.cs", "using global::HybridCaching.Tiering;" },
        { "src/HybridCaching/Tiering/A.cs", "using HybridCaching.SingleFlight;" },
        { "src/HybridCaching/Devices/A.cs", "using HybridCaching.Records;" },
        { "src/HybridCaching/Devices/A.cs", "global using HybridCaching.Store;" },
        { "src/HybridCaching/Configuration/A.cs", "using HybridCaching.Diagnostics;" },
        { "src/HybridCaching/Configuration/A.cs", "using HybridCaching.Records;" },
        { "src/HybridCaching/A.cs", "using FASTER.core;" },
        { "src/HybridCaching/Tiering/A.cs", "using FASTER.core;" },
        { "src/HybridCaching/Records/A.cs", "using Kv = FASTER.core.FasterKV<long, long>;" },
        { "src/HybridCaching/HotTier/A.cs", "using static global::FASTER.core.Utility;" },
    };

    public static TheoryData<string, string> AllowedSources => new()
    {
        { "src/HybridCaching/A.cs", "using HybridCaching.Tiering;\nusing HybridCaching.Diagnostics;" },
        { "src/HybridCaching/Tiering/A.cs", "using HybridCaching.HotTier;\nusing HybridCaching.Store;" },
        { "src/HybridCaching/Store/A.cs", "using FASTER.core;\nusing HybridCaching.Devices;\nusing HybridCaching.Records;" },
        { "src/HybridCaching/Devices/A.cs", "using System.Diagnostics;\nusing FASTER.core;\nusing HybridCaching.Configuration;" },
        { "src/HybridCaching/Records/A.cs", "// using FASTER.core;\nnamespace HybridCaching.Records;" },
        { "src/HybridCaching/Records/A.cs", "class A { void F() { using var stream = HybridCaching.Tiering.Open(); } }" },
    };

    [Theory]
    [MemberData(nameof(ForbiddenSources))]
    public void SourceScan_ForbiddenImport_IsReported(string path, string text) => Assert.Single(ViolationsOf(new SourceFile(path, text)));

    [Theory]
    [MemberData(nameof(AllowedSources))]
    public void SourceScan_AllowedImport_IsNotReported(string path, string text) => Assert.Empty(ViolationsOf(new SourceFile(path, text)));

    [Fact]
    public void MetadataScan_FieldOfTheCacheTypeInARoom_IsReported() => Assert.NotEmpty(ViolationsOf(typeof(HoldsTheCache), "Store"));

    [Fact]
    public void MetadataScan_CallOfTheCacheInARoom_IsReported() => Assert.NotEmpty(ViolationsOf(typeof(CallsTheCache), "Tiering"));

    [Fact]
    public void MetadataScan_EngineTypeInAMethodBodyOutsideTheWall_IsReported() => Assert.NotEmpty(ViolationsOf(typeof(CallsTheEngine), "Records"));

    [Fact]
    public void MetadataScan_EngineTypeAsTypeArgumentOutsideTheWall_IsReported() => Assert.NotEmpty(ViolationsOf(typeof(ListsTheEngine), ""));

    [Fact]
    public void MetadataScan_EngineTypeBehindTheWall_IsNotReported() => Assert.Empty(ViolationsOf(typeof(CallsTheEngine), "Devices"));

    [Fact]
    public void MetadataScan_RootValueTypeInARoom_IsNotReported() => Assert.Empty(ViolationsOf(typeof(HoldsASize), "Store"));

    [Fact]
    public void Library_UsingDirectives_PointDown() => Violations.AssertNone(Repository.SourceFiles.Where(file => file.Project == ImportRules.Root).SelectMany(ViolationsOf));

    [Fact]
    public void Library_NamedTypes_PointDown() =>
        Violations.AssertNone(from type in Library.GetTypes()
                              let room = ImportRules.RoomOf(type.Namespace)
                              where room is not null
                              from violation in ViolationsOf(type, room)
                              select violation);

    [Fact]
    public void Library_PublicTypes_AreAtTheRoot() =>
        Violations.AssertNone(from type in Library.GetExportedTypes()
                              where type.Namespace != ImportRules.Root && !IsRegistration(type)
                              select type.FullName);

    [Fact]
    public void Library_PublicMembers_ExposeNoEngineType() =>
        Violations.AssertNone(from type in Library.GetExportedTypes()
                              from mentioned in MentionedTypes.InPublicSignatures(type)
                              where mentioned.Namespace?.StartsWith(ImportRules.Engine, StringComparison.Ordinal) == true
                              select $"{type.FullName} shows {mentioned}");

    private static bool IsRegistration(Type type) => type.Namespace == ImportRules.RegistrationNamespace && type.Name.EndsWith("Extensions", StringComparison.Ordinal);

    private static IEnumerable<string> ViolationsOf(SourceFile file) =>
        from name in file.Imports
        let objection = ImportRules.Objection(file.Folder.Split('/')[0], name)
        where objection is not null
        select $"{file.Path}: {objection}";

    private static IEnumerable<string> ViolationsOf(Type type, string room) =>
        from mentioned in MentionedTypes.By(type)
        let objection = ImportRules.Objection(room, mentioned.Namespace ?? "") ?? (room.Length > 0 && IsCache(mentioned) ? $"{room} names the cache type {mentioned}" : null)
        where objection is not null
        select $"{type.FullName} ({mentioned.Name}): {objection}";

    private static bool IsCache(Type type) => type is { Namespace: ImportRules.Root, IsPublic: true, IsClass: true } && typeof(IDisposable).IsAssignableFrom(type);

    private sealed record HoldsTheCache(FasterCache<long, int>? Cache);

    private static class CallsTheCache
    {
        public static object Run(object cache) => ((FasterCache<int, int>)cache).Remove(1);
    }

    private static class CallsTheEngine
    {
        public static object Run() => FASTER.core.Utility.GetHashCode(1);
    }

    private sealed record ListsTheEngine(List<FASTER.core.IDevice[]> Devices);

    private sealed record HoldsASize(ByteSize Size);
}
