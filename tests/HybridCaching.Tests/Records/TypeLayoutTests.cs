using System.Reflection;
using System.Reflection.Emit;
using HybridCaching.Configuration;
using HybridCaching.Records;
using static HybridCaching.Tests.Records.LayoutSamples;

namespace HybridCaching.Tests.Records;

public sealed class TypeLayoutTests
{
    public static TheoryData<Type> TypesWithoutPadding { get; } = new(
        typeof(byte), typeof(bool), typeof(char), typeof(long), typeof(Int128), typeof(UInt128), typeof(Guid), typeof(DateTime), typeof(TimeSpan), typeof(DateOnly),
        typeof(Color), typeof((int, int)), typeof((long, Guid)), typeof(Dense), typeof(NestedDense), typeof(Packed), typeof(Union), typeof(WithBuffer), typeof(FourDense), typeof(OneLong),
        typeof(Coordinates), typeof(Pair<Guid>), typeof(Pair<Pair<short>>));

    public static TheoryData<Type, int> TypesWithPadding { get; } = new()
    {
        { typeof(GapInside), 1 },
        { typeof(GapAtEnd), 9 },
        { typeof(NestedGap), 9 },
        { typeof(GapBetweenNested), 2 },
        { typeof(ExplicitGap), 4 },
        { typeof(Oversized), 8 },
        { typeof(WithOddBuffer), 29 },
        { typeof(FourGaps), 1 },
        { typeof((byte, int)), 5 },
        { typeof(Pair<GapInside>), 1 },
        { typeof(BoolAndChar), 1 },
    };

    [Theory]
    [MemberData(nameof(TypesWithoutPadding))]
    public void FindPadding_DenseType_IsNone(Type type) => Assert.Equal(-1, Of(type).FindPadding());

    [Theory]
    [MemberData(nameof(TypesWithPadding))]
    public void FindPadding_Gap_IsItsFirstByte(Type type, int expected) => Assert.Equal(expected, Of(type).FindPadding());

    [Fact]
    public void Fields_NestedStruct_HaveTheirWholePath() =>
        Assert.Equal(["Id", "Inner.A", "Inner.B", "Inner.C", "Inner.D", "Inner.E"], TypeLayout.Of<NestedDense>().Fields.Select(f => f.Path));

    [Fact]
    public void Fields_NestedStruct_HaveTheOffsetsOfTheRuntime()
    {
        var offsets = TypeLayout.Of<NestedDense>().Fields.ToDictionary(f => f.Path, f => f.Offset);

        Assert.Equal(new Dictionary<string, int> { ["Id"] = 0, ["Inner.A"] = 8, ["Inner.B"] = 16, ["Inner.C"] = 20, ["Inner.D"] = 22, ["Inner.E"] = 23 }, offsets);
    }

    [Fact]
    public void Fields_InlineArrayOfStructs_AreThoseOfEveryElement() =>
        Assert.Equal([0, 8, 16, 24, 32, 40, 48, 56], TypeLayout.Of<FourGaps>().Fields.Select(f => f.Offset));

    [Fact]
    public void Fields_NullableMember_AreItsFlagAndItsValue() =>
        Assert.Equal([(0, 8), (8, 1), (12, 4)], TypeLayout.Of<WithNullable>().Fields.Select(f => (f.Offset, f.Size)));

    [Fact]
    public void Fingerprint_SameType_IsTheSame() => Assert.Equal(TypeLayout.Of<Dense>().Fingerprint(), TypeLayout.Of<Dense>().Fingerprint());

    [Theory]
    [InlineData(typeof(Renamed))]
    [InlineData(typeof(Retyped))]
    [InlineData(typeof(Moved))]
    public void Fields_NameTypeOrOffsetChanged_AreOthers(Type changed) => Assert.NotEqual(TypeLayout.Of<Dense>().Fields, Of(changed).Fields);

    [Theory]
    [InlineData(typeof(Renamed))]
    [InlineData(typeof(Retyped))]
    [InlineData(typeof(Moved))]
    public void Fingerprint_NameTypeOrOffsetChanged_IsAnother(Type changed) => Assert.NotEqual(TypeLayout.Of<Dense>().Fingerprint(), Of(changed).Fingerprint());

    [Fact]
    public void Fingerprint_OtherTypeArgument_IsAnother() => Assert.NotEqual(TypeLayout.Of<Pair<int>>().Fingerprint(), TypeLayout.Of<Pair<uint>>().Fingerprint());

    /// <summary>Releasing an application with a new version number must not cost its users their caches.</summary>
    [Fact]
    public void Fingerprint_GenericTypeOfANewAssemblyVersion_IsTheSame() =>
        Assert.Equal(Of(PairOfVersion("1.0.0.0")).Fingerprint(), Of(PairOfVersion("2.0.0.0")).Fingerprint());

    [Fact]
    public void CacheNameOf_GenericTypeOfANewAssemblyVersion_IsTheSame() =>
        Assert.Equal(CacheName.Of(typeof(long), PairOfVersion("1.0.0.0")), CacheName.Of(typeof(long), PairOfVersion("2.0.0.0")));

    private static Type PairOfVersion(string version)
    {
        var assembly = AssemblyBuilder.DefineDynamicAssembly(new AssemblyName("App") { Version = new Version(version) }, AssemblyBuilderAccess.Run);
        var type = assembly.DefineDynamicModule("App").DefineType("App.Quote", TypeAttributes.Public | TypeAttributes.SequentialLayout, typeof(ValueType));
        type.DefineField("Price", typeof(long), FieldAttributes.Public);
        return typeof(Pair<>).MakeGenericType(type.CreateType());
    }

    private static TypeLayout Of(Type type) => (TypeLayout)typeof(TypeLayout).GetMethod(nameof(TypeLayout.Of))!.MakeGenericMethod(type).Invoke(null, null)!;
}
