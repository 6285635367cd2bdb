using System.ComponentModel;
using System.Globalization;
using System.Text.Json;
using FsCheck;
using FsCheck.Fluent;

namespace HybridCaching.Tests;

public sealed class ByteSizeTests
{
    private static readonly CultureInfo German = CommaCulture();

    private static readonly Arbitrary<long> AnySize =
        Gen.OneOf(
            Gen.Choose(0, int.MaxValue).Select(number => (long)number),
            Gen.Choose(0, 62).Select(bit => 1L << bit),
            from high in Gen.Choose(0, int.MaxValue) from low in Gen.Choose(0, int.MaxValue) select ((long)high << 32) | (uint)low,
            from count in Gen.Choose(1, 1023) from unit in Gen.Choose(0, 5) select (long)count << (10 * unit))
        .ToArbitrary();

    [Theory]
    [InlineData("0", 0)]
    [InlineData("4096", 4096)]
    [InlineData("1B", 1)]
    [InlineData("512KB", 512L << 10)]
    [InlineData("256MB", 256L << 20)]
    [InlineData("256MiB", 256L << 20)]
    [InlineData("256M", 256L << 20)]
    [InlineData("256Mi", 256L << 20)]
    [InlineData("4GB", 4L << 30)]
    [InlineData("2TB", 2L << 40)]
    [InlineData("3PiB", 3L << 50)]
    [InlineData("256mb", 256L << 20)]
    [InlineData("256mib", 256L << 20)]
    [InlineData("256MIB", 256L << 20)]
    [InlineData("1.5 GiB", 3L << 29)]
    [InlineData("  64 MB\t", 64L << 20)]
    [InlineData("0.5KB", 512)]
    [InlineData(".5KB", 512)]
    [InlineData("0.3KB", 307)]
    [InlineData("9223372036854775807", long.MaxValue)]
    [InlineData("8191PB", 8191L << 50)]
    public void Parse_NumberAndUnit_IsSoManyBytes(string text, long bytes) => Assert.Equal(bytes, ByteSize.Parse(text).Bytes);

    [Theory]
    [InlineData("")]
    [InlineData(" ")]
    [InlineData("MB")]
    [InlineData("B")]
    [InlineData("iB")]
    [InlineData("MB 5")]
    [InlineData("5 XB")]
    [InlineData("5MBB")]
    [InlineData("5BB")]
    [InlineData("5iB")]
    [InlineData("5Bi")]
    [InlineData("5M B")]
    [InlineData("5EB")]
    [InlineData("-1")]
    [InlineData("-1MB")]
    [InlineData("+1MB")]
    [InlineData("1e3")]
    [InlineData("0x10")]
    [InlineData("1.2.3MB")]
    [InlineData("NaN")]
    [InlineData("256 megabytes")]
    [InlineData("9223372036854775808")]
    [InlineData("8192PB")]
    [InlineData("79228162514264337593543950336")]
    public void TryParse_NotASize_IsFalseAndZero(string text)
    {
        Assert.False(ByteSize.TryParse(text, null, out var size));
        Assert.Equal(default, size);
    }

    [Theory]
    [InlineData("1,5GB")]
    [InlineData("1,024")]
    public void TryParse_Comma_IsRefusedRatherThanDropped(string text) => Assert.False(ByteSize.TryParse(text, CultureInfo.InvariantCulture, out _));

    [Fact]
    public void TryParse_NullText_IsFalse() => Assert.False(ByteSize.TryParse(null, null, out _));

    [Fact]
    public void Parse_NullText_ThrowsArgumentNull() => Assert.Throws<ArgumentNullException>(() => ByteSize.Parse((string)null!));

    [Fact]
    public void Parse_NotASize_NamesTheTextAndTheAcceptedForms()
    {
        var error = Assert.Throws<FormatException>(() => ByteSize.Parse("5 apples"));

        Assert.Contains("'5 apples'", error.Message);
        Assert.Contains("256MB", error.Message);
    }

    [Fact]
    public void Parse_ProviderWithDecimalComma_ReadsTheComma() => Assert.Equal(3L << 29, ByteSize.Parse("1,5GB", German).Bytes);

    [Fact]
    public void Parse_NoProvider_IgnoresTheCurrentCulture()
    {
        var before = CultureInfo.CurrentCulture;
        CultureInfo.CurrentCulture = German;
        try
        {
            Assert.Equal(3L << 29, ByteSize.Parse("1.5GB").Bytes);
        }
        finally
        {
            CultureInfo.CurrentCulture = before;
        }
    }

    [Fact]
    public void Parse_ThroughISpanParsable_ReadsTheText() => Assert.Equal(64L << 20, ParseAs<ByteSize>("64MB").Bytes);

    [Fact]
    public void Conversion_FromTextAndNumbers_AreTheSameSize()
    {
        ByteSize fromText = "4KB";
        ByteSize fromInt = 4096;
        ByteSize fromLong = 4096L;

        Assert.Equal([fromText, fromText], [fromInt, fromLong]);
    }

    [Fact]
    public void Conversion_FromBadText_Throws() => Assert.Throws<FormatException>(() => (ByteSize)"many");

    [Fact]
    public void Constructor_NegativeNumber_Throws() => Assert.Throws<ArgumentOutOfRangeException>(() => new ByteSize(-1));

    [Theory]
    [InlineData(0, "0B")]
    [InlineData(1, "1B")]
    [InlineData(1000, "1000B")]
    [InlineData(1024, "1KB")]
    [InlineData(1536, "1536B")]
    [InlineData(256L << 20, "256MB")]
    [InlineData(3L << 29, "1536MB")]
    [InlineData(1L << 62, "4096PB")]
    [InlineData(long.MaxValue, "9223372036854775807B")]
    public void ToString_AnySize_IsExactInTheLargestUnitThatDividesIt(long bytes, string text) => Assert.Equal(text, new ByteSize(bytes).ToString());

    [Theory]
    [InlineData(0, "0B")]
    [InlineData(1000, "1000B")]
    [InlineData(1023, "1023B")]
    [InlineData(1024, "1KB")]
    [InlineData(1536, "1.5KB")]
    [InlineData(1503238554, "1.4GB")]
    [InlineData((1L << 20) - 1, "1MB")]
    [InlineData((1L << 20) - 60, "1023.9KB")]
    [InlineData(long.MaxValue, "8192PB")]
    public void ToString_FormatForPeople_HasAtMostOneDecimal(long bytes, string text) => Assert.Equal(text, new ByteSize(bytes).ToString("H", null));

    [Theory]
    [InlineData(null)]
    [InlineData("")]
    [InlineData("G")]
    [InlineData("g")]
    public void ToString_GeneralFormat_IsTheExactText(string? format) => Assert.Equal("2GB", new ByteSize(2L << 30).ToString(format, null));

    [Fact]
    public void ToString_UnknownFormat_NamesItAndTheKnownOnes()
    {
        var error = Assert.Throws<FormatException>(() => default(ByteSize).ToString("X", null));

        Assert.Contains("'X'", error.Message);
    }

    [Fact]
    public void ToString_ProviderWithDecimalComma_WritesTheComma() => Assert.Equal("1,5KB", new ByteSize(1536).ToString("H", German));

    [Fact]
    public void ToString_Interpolated_TakesTheFormat() => Assert.Equal("1.5KB of 2KB", string.Create(CultureInfo.InvariantCulture, $"{new ByteSize(1536):H} of {new ByteSize(2048)}"));

    [Fact]
    public void TryFormat_DestinationTooShort_IsFalseAndWritesNothing()
    {
        Assert.False(new ByteSize(1000).TryFormat(new char[4], out int written, default, null));
        Assert.Equal(0, written);
    }

    [Fact]
    public void TryFormat_DestinationJustFits_WritesAll()
    {
        var destination = new char[5];

        Assert.True(new ByteSize(1000).TryFormat(destination, out int written, default, null));
        Assert.Equal("1000B", new string(destination, 0, written));
    }

    [Fact]
    public void Parse_ExactText_ReadsBackToTheSameSize() => Check(bytes => ByteSize.Parse(new ByteSize(bytes).ToString()).Bytes == bytes);

    [Fact]
    public void Parse_ExactTextInAnotherCulture_ReadsBackToTheSameSize() => Check(bytes => ByteSize.Parse(new ByteSize(bytes).ToString(null, German), German).Bytes == bytes);

    [Fact]
    public void Parse_TextForPeople_ReadsBackWithinATwentieth() =>
        Check(bytes => ByteSize.TryParse(new ByteSize(bytes).ToString("H", null), null, out var size)
            ? Math.Abs((double)size.Bytes - bytes) <= bytes / 20.0
            : bytes > 8191L << 50);

    [Fact]
    public void RoundedUp_AnySize_IsWrittenForPeopleAsASizeThatIsNotLess() =>
        Check(bytes => bytes > 1L << 60 || ByteSize.Parse(new ByteSize(bytes).RoundedUp().ToString("H", null)).Bytes is var size && size >= bytes && size - bytes <= Math.Max(1, bytes / 5.0));

    [Fact]
    public void Parse_PlainNumber_IsThatManyBytes() => Check(bytes => ByteSize.Parse(bytes.ToString(CultureInfo.InvariantCulture)).Bytes == bytes);

    [Fact]
    public void TryParse_ArbitraryText_NeverThrows() =>
        Prop.ForAll<string>(text => ByteSize.TryParse(text, null, out var size) ? size.Bytes >= 0 : size == default).QuickCheckThrowOnFailure();

    [Fact]
    public void TypeConverter_InvariantText_RoundTrips()
    {
        var converter = TypeDescriptor.GetConverter(typeof(ByteSize));

        Check(bytes => new ByteSize(bytes).Equals(converter.ConvertFromInvariantString(converter.ConvertToInvariantString(new ByteSize(bytes))!)));
    }

    [Theory]
    [InlineData(4096)]
    [InlineData(4096L)]
    [InlineData("4KB")]
    public void TypeConverter_TextOrWholeNumber_IsConverted(object value)
    {
        var converter = TypeDescriptor.GetConverter(typeof(ByteSize));

        Assert.True(converter.CanConvertFrom(value.GetType()));
        Assert.Equal(new ByteSize(4096), converter.ConvertFrom(value));
    }

    [Fact]
    public void TypeConverter_CultureWithDecimalComma_ReadsTheComma() =>
        Assert.Equal(new ByteSize(1536), TypeDescriptor.GetConverter(typeof(ByteSize)).ConvertFrom(null, German, "1,5KB"));

    [Fact]
    public void TypeConverter_BadText_NamesIt() =>
        Assert.Contains("'lots'", Assert.Throws<FormatException>(() => TypeDescriptor.GetConverter(typeof(ByteSize)).ConvertFromInvariantString("lots")).Message);

    [Fact]
    public void TypeConverter_OtherType_IsRefused()
    {
        var converter = TypeDescriptor.GetConverter(typeof(ByteSize));

        Assert.False(converter.CanConvertFrom(typeof(double)));
        Assert.Throws<NotSupportedException>(() => converter.ConvertFrom(1.5));
    }

    [Fact]
    public void Json_AnySize_RoundTrips() => Check(bytes => JsonSerializer.Deserialize<ByteSize>(JsonSerializer.Serialize(new ByteSize(bytes))).Bytes == bytes);

    [Fact]
    public void Json_Written_IsText() => Assert.Equal("\"256MB\"", JsonSerializer.Serialize(new ByteSize(256L << 20)));

    [Fact]
    public void Json_Converter_IsVisibleToGeneratedCode() => Assert.True(typeof(ByteSizeJsonConverter).IsVisible);

    [Theory]
    [InlineData("4096", 4096)]
    [InlineData("\"4KB\"", 4096)]
    [InlineData("\"4096\"", 4096)]
    public void Json_NumberOrText_IsRead(string json, long bytes) => Assert.Equal(bytes, JsonSerializer.Deserialize<ByteSize>(json).Bytes);

    [Theory]
    [InlineData("-1")]
    [InlineData("1.5")]
    [InlineData("9223372036854775808")]
    [InlineData("\"lots\"")]
    [InlineData("null")]
    [InlineData("true")]
    [InlineData("{}")]
    [InlineData("[1]")]
    public void Json_NotASize_ThrowsJsonException(string json) => Assert.Throws<JsonException>(() => JsonSerializer.Deserialize<ByteSize>(json));

    [Fact]
    public void Json_NullableSize_KeepsNull() => Assert.Null(JsonSerializer.Deserialize<ByteSize?>("null"));

    [Fact]
    public void Comparison_OfSizes_IsThatOfTheirBytes() =>
        Prop.ForAll(AnySize, AnySize, (left, right) =>
        {
            ByteSize a = left, b = right;
            return (a < b) == (left < right) && (a > b) == (left > right) && (a <= b) == (left <= right) && (a >= b) == (left >= right)
                && (a == b) == (left == right) && (a != b) == (left != right)
                && Math.Sign(a.CompareTo(b)) == Math.Sign(left.CompareTo(right));
        }).QuickCheckThrowOnFailure();

    [Fact]
    public void Equality_SameBytes_HasSameHashCode() => Assert.Equal(new ByteSize(1 << 20).GetHashCode(), ByteSize.Parse("1MB").GetHashCode());

    [Fact]
    public void Equality_OtherType_IsFalse() => Assert.False(new ByteSize(1).Equals((object)1L));

    private static void Check(Func<long, bool> property) => Prop.ForAll(AnySize, property).QuickCheckThrowOnFailure();

    private static T ParseAs<T>(string text)
        where T : ISpanParsable<T> => T.Parse(text.AsSpan(), CultureInfo.InvariantCulture);

    /// <summary>Made by hand: the tests run with invariant globalization, where no real culture has a decimal comma.</summary>
    private static CultureInfo CommaCulture()
    {
        var culture = (CultureInfo)CultureInfo.InvariantCulture.Clone();
        culture.NumberFormat.NumberDecimalSeparator = ",";
        culture.NumberFormat.NumberGroupSeparator = ".";
        return culture;
    }
}
