using System.ComponentModel;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text.Json.Serialization;

namespace HybridCaching;

/// <summary>A number of bytes, written the way people write it: <c>"256MB"</c>, <c>"1.5 GiB"</c>, <c>4096</c>.</summary>
/// <remarks>
/// Units count in steps of 1024, with or without the <c>i</c>: <c>256MB</c>, <c>256MiB</c> and <c>256M</c> are all 268,435,456 bytes.
/// Units are B, K, M, G, T and P in either case; a number without a unit is bytes. Text is read and written with the invariant culture
/// unless a format provider says otherwise. Immutable, hence thread-safe.
/// </remarks>
[TypeConverter(typeof(ByteSizeTypeConverter))]
[JsonConverter(typeof(ByteSizeJsonConverter))]
public readonly struct ByteSize : IEquatable<ByteSize>, IComparable<ByteSize>, ISpanParsable<ByteSize>, ISpanFormattable
{
    private const string Units = "BKMGTP";

    /// <summary>Creates a size of so many bytes.</summary>
    /// <param name="bytes">The number of bytes, zero or more.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="bytes"/> is negative.</exception>
    public ByteSize(long bytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(bytes);
        Bytes = bytes;
    }

    /// <summary>The number of bytes.</summary>
    /// <value>Zero or more.</value>
    public long Bytes { get; }

    /// <summary>A number of bytes is a size.</summary>
    /// <param name="bytes">The number of bytes, zero or more.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="bytes"/> is negative.</exception>
    public static implicit operator ByteSize(long bytes) => new(bytes);

    /// <summary>Text such as <c>"256MB"</c> is a size.</summary>
    /// <param name="text">A number and an optional unit.</param>
    /// <exception cref="FormatException"><paramref name="text"/> is not a size; the message names the text and the accepted forms.</exception>
    public static implicit operator ByteSize(string text) => Parse(text, CultureInfo.InvariantCulture);

    /// <summary>Reads a size from text.</summary>
    /// <param name="s">A number and an optional unit.</param>
    /// <param name="provider">The culture of the number; null is the invariant culture.</param>
    /// <exception cref="FormatException"><paramref name="s"/> is not a size.</exception>
    public static ByteSize Parse(string s, IFormatProvider? provider = null)
    {
        ArgumentNullException.ThrowIfNull(s);
        return Parse(s.AsSpan(), provider);
    }

    /// <inheritdoc cref="Parse(string, IFormatProvider?)"/>
    public static ByteSize Parse(ReadOnlySpan<char> s, IFormatProvider? provider = null) =>
        TryParse(s, provider, out var result)
            ? result
            : throw new FormatException($"'{s}' is not a size in bytes. Write a number from 0 to {long.MaxValue} and a unit: 4096, 512KB, 256MB, 1.5GB, 2TB (1024-based; KiB, MiB, GiB mean the same).");

    /// <summary>Reads a size from text without throwing.</summary>
    /// <param name="s">A number and an optional unit.</param>
    /// <param name="provider">The culture of the number; null is the invariant culture.</param>
    /// <param name="result">The size, or zero.</param>
    /// <returns>Whether <paramref name="s"/> is a size.</returns>
    public static bool TryParse([NotNullWhen(true)] string? s, IFormatProvider? provider, out ByteSize result) =>
        TryParse(s.AsSpan(), provider, out result);

    /// <inheritdoc cref="TryParse(string?, IFormatProvider?, out ByteSize)"/>
    public static bool TryParse(ReadOnlySpan<char> s, IFormatProvider? provider, out ByteSize result)
    {
        result = default;
        var number = s.Trim();
        long factor = TakeUnit(ref number);
        const NumberStyles Style = NumberStyles.AllowDecimalPoint | NumberStyles.AllowTrailingWhite;
        if (!decimal.TryParse(number, Style, provider ?? CultureInfo.InvariantCulture, out decimal count)) return false;
        if (count > (decimal)long.MaxValue / factor) return false;
        decimal bytes = decimal.Round(count * factor);
        if (bytes > long.MaxValue) return false;
        result = new ByteSize((long)bytes);
        return true;
    }

    /// <summary>Cuts "MB", "MiB", "M" or "B" off the end and returns what it multiplies by.</summary>
    private static long TakeUnit(ref ReadOnlySpan<char> text)
    {
        if (text.Length > 0 && char.ToUpperInvariant(text[^1]) == 'B') text = text[..^1];
        if (text.Length > 1 && text[^1] is 'i' or 'I' && UnitIndex(text[^2]) > 0) text = text[..^1];
        int unit = text.Length > 0 ? UnitIndex(text[^1]) : -1;
        if (unit <= 0) return 1;
        text = text[..^1];
        return 1L << (10 * unit);
    }

    private static int UnitIndex(char c) => Units.IndexOf(char.ToUpperInvariant(c), StringComparison.Ordinal);

    /// <summary>The size as text that reads back to the same size: the largest unit that divides it, <c>"256MB"</c>, <c>"1000B"</c>.</summary>
    public override string ToString() => ToString(null, null);

    /// <summary>The size as text.</summary>
    /// <param name="format">
    /// Null, empty or <c>"G"</c>: exact, reads back to the same size. <c>"H"</c>: for people, at most one decimal, <c>"1.4GB"</c>.
    /// </param>
    /// <param name="formatProvider">The culture of the number; null is the invariant culture.</param>
    /// <exception cref="FormatException"><paramref name="format"/> is none of these.</exception>
    public string ToString(string? format, IFormatProvider? formatProvider)
    {
        Span<char> buffer = stackalloc char[32];
        TryFormat(buffer, out int length, format, formatProvider);
        return buffer[..length].ToString();
    }

    /// <inheritdoc/>
    public bool TryFormat(Span<char> destination, out int charsWritten, ReadOnlySpan<char> format, IFormatProvider? provider)
    {
        provider ??= CultureInfo.InvariantCulture;
        if (format is "H" or "h") return TryFormatForPeople(destination, out charsWritten, provider);
        if (format is not ("" or "G" or "g")) throw new FormatException($"'{format}' is not a format of ByteSize. Use G (exact) or H (for people).");
        long count = Bytes;
        int unit = 0;
        while (count != 0 && (count & 1023) == 0 && unit < Units.Length - 1)
        {
            count >>= 10;
            unit++;
        }

        return destination.TryWrite(provider, $"{count}{Suffix(unit)}", out charsWritten);
    }

    /// <summary>The next size, from this one on, that format <c>"H"</c> writes as it is: who is told the least that works may use that.</summary>
    internal ByteSize RoundedUp()
    {
        decimal unit = 1;
        while (Bytes >= 1024 * unit) unit *= 1024;
        return new ByteSize((long)decimal.Ceiling(decimal.Ceiling(Bytes * 10m / unit) * unit / 10));
    }

    private bool TryFormatForPeople(Span<char> destination, out int charsWritten, IFormatProvider provider)
    {
        double count = Bytes;
        int unit = 0;
        while (Math.Round(count, 1) >= 1024 && unit < Units.Length - 1)
        {
            count /= 1024;
            unit++;
        }

        return destination.TryWrite(provider, $"{count:0.#}{Suffix(unit)}", out charsWritten);
    }

    private static string Suffix(int unit) => unit == 0 ? "B" : $"{Units[unit]}B";

    /// <inheritdoc/>
    public bool Equals(ByteSize other) => Bytes == other.Bytes;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is ByteSize other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => Bytes.GetHashCode();

    /// <inheritdoc/>
    public int CompareTo(ByteSize other) => Bytes.CompareTo(other.Bytes);

    /// <summary>Whether two sizes are the same number of bytes.</summary>
    public static bool operator ==(ByteSize left, ByteSize right) => left.Bytes == right.Bytes;

    /// <summary>Whether two sizes differ.</summary>
    public static bool operator !=(ByteSize left, ByteSize right) => left.Bytes != right.Bytes;

    /// <summary>Whether the left size is smaller.</summary>
    public static bool operator <(ByteSize left, ByteSize right) => left.Bytes < right.Bytes;

    /// <summary>Whether the left size is larger.</summary>
    public static bool operator >(ByteSize left, ByteSize right) => left.Bytes > right.Bytes;

    /// <summary>Whether the left size is smaller or the same.</summary>
    public static bool operator <=(ByteSize left, ByteSize right) => left.Bytes <= right.Bytes;

    /// <summary>Whether the left size is larger or the same.</summary>
    public static bool operator >=(ByteSize left, ByteSize right) => left.Bytes >= right.Bytes;
}
