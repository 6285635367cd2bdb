using HybridCaching.Records;
using static HybridCaching.Tests.Records.LayoutSamples;

namespace HybridCaching.Tests.Records;

public sealed class StoredTypesTests
{
    [Fact]
    public void CheckKey_Float_IsRefused() => AssertKeyRefused<float>("Single", "integer");

    [Fact]
    public void CheckKey_Double_IsRefused() => AssertKeyRefused<double>("Double", "integer");

    [Fact]
    public void CheckKey_Half_IsRefused() => AssertKeyRefused<Half>("Half", "integer");

    [Fact]
    public void CheckKey_Decimal_IsRefused() => AssertKeyRefused<decimal>("Decimal", "integer");

    [Fact]
    public void CheckKey_DecimalField_IsNamed() => AssertKeyRefused<Priced>("Amount", "integer");

    [Fact]
    public void CheckKey_DoubleField_IsNamed() => AssertKeyRefused<Measured>("Length", "integer");

    [Fact]
    public void CheckKey_FloatField_IsNamed() => AssertKeyRefused<Scaled>("Factor", "integer");

    [Fact]
    public void CheckKey_HalfField_IsNamed() => AssertKeyRefused<Halved>("'A'", "integer");

    [Fact]
    public void CheckKey_NativeInteger_IsRefused() => AssertKeyRefused<nint>("pointer or handle", "identifier");

    [Fact]
    public void CheckKey_NestedHandleField_IsNamed() => AssertKeyRefused<WithNested>("Handle", "identifier");

    [Fact]
    public void CheckKey_PointerField_IsNamed() => AssertKeyRefused<WithPointer>("'Data'", "identifier");

    [Fact]
    public void CheckKey_FunctionPointerField_IsNamed() => AssertKeyRefused<WithFunction>("'Call'", "identifier");

    [Fact]
    public void CheckKey_Padding_NamesTheFieldBeforeItAndTheCure() => AssertKeyRefused<GapInside>("'Small'", "Pack = 1");

    [Fact]
    public void CheckKey_PaddingInNestedStruct_NamesTheWholePath() => AssertKeyRefused<NestedGap>("'Inner.Small'", "Pack = 1");

    [Fact]
    public void CheckKey_DateTime_NamesWhatToUseInstead() => AssertKeyRefused<DateTime>("DateTime", "Ticks");

    [Fact]
    public void CheckKey_DateTimeField_IsNamed() => AssertKeyRefused<Dated>("'Day'", "Ticks");

    [Fact]
    public void CheckKey_DateOnly_IsAccepted() => StoredTypes.CheckKey(TypeLayout.Of<DateOnly>());

    [Fact]
    public void CheckKey_DateTimeOffset_NamesWhatToUseInstead() => AssertKeyRefused<DateTimeOffset>("UtcTicks");

    [Fact]
    public void CheckKey_ValueTupleWithPadding_NamesWhatToUseInstead() => AssertKeyRefused<(int, long)>("struct of your own");

    [Fact]
    public void CheckKey_DenseStruct_IsAccepted() => StoredTypes.CheckKey(TypeLayout.Of<Dense>());

    [Fact]
    public void CheckKey_Bool_IsAccepted() => StoredTypes.CheckKey(TypeLayout.Of<bool>());

    [Fact]
    public void CheckKey_Char_IsAccepted() => StoredTypes.CheckKey(TypeLayout.Of<char>());

    [Fact]
    public void CheckKey_ValueTupleOfInts_IsAccepted() => StoredTypes.CheckKey(TypeLayout.Of<(int, int)>());

    [Fact]
    public void CheckKey_Guid_IsAccepted() => StoredTypes.CheckKey(TypeLayout.Of<Guid>());

    [Fact]
    public void CheckValue_Padding_IsAccepted() => StoredTypes.CheckValue(TypeLayout.Of<GapInside>());

    [Fact]
    public void CheckValue_FloatingPoint_IsAccepted() => StoredTypes.CheckValue(TypeLayout.Of<Measured>());

    [Fact]
    public void CheckValue_BoolAndChar_IsAccepted() => StoredTypes.CheckValue(TypeLayout.Of<BoolAndChar>());

    [Fact]
    public void CheckValue_NullableMember_IsAccepted() => StoredTypes.CheckValue(TypeLayout.Of<WithNullable>());

    [Fact]
    public void CheckValue_NativeInteger_IsRefused() => AssertValueRefused<nint>("pointer or handle");

    [Fact]
    public void CheckValue_NestedHandleField_IsNamed() => AssertValueRefused<WithNested>("Handle");

    [Fact]
    public void CheckValue_PointerField_IsNamed() => AssertValueRefused<WithPointer>("'Data'");

    [Fact]
    public void CheckValue_FunctionPointerField_IsNamed() => AssertValueRefused<WithFunction>("'Call'");

    [Fact]
    public void Cache_KeyLongerThan256BytesAndNoMultipleOf8_IsRefusedWithTheCure()
    {
        var refusal = Assert.Throws<ArgumentException>(() => new FasterCache<LongOddKey, long>(new FasterCacheOptions { MemoryBudget = "16MB" }));

        Assert.Contains("multiple of 8", refusal.Message, StringComparison.Ordinal);
    }

    private static void AssertKeyRefused<T>(params string[] named)
        where T : unmanaged => AssertRefused(() => StoredTypes.CheckKey(TypeLayout.Of<T>()), typeof(T), named);

    private static void AssertValueRefused<T>(params string[] named)
        where T : unmanaged => AssertRefused(() => StoredTypes.CheckValue(TypeLayout.Of<T>()), typeof(T), named);

    private static void AssertRefused(Action check, Type type, string[] named)
    {
        string message = Assert.Throws<ArgumentException>(check).Message;

        Assert.All([type.Name, .. named], part => Assert.Contains(part, message, StringComparison.Ordinal));
    }
}
