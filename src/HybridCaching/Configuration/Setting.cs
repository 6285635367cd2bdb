using System.Globalization;
using Microsoft.Extensions.Configuration;

namespace HybridCaching.Configuration;

/// <summary>One value of the configuration, or a section in its place, and where it stands. Numbers and times are read with the invariant culture.</summary>
internal sealed record Setting(string Path, string Name, string? Value)
{
    private const string SizeForms = "a number from 0 and a unit, 1024-based: 4096, 512KB, 256MB, 1.5GB, 2TB";
    private const string TimeForms = "[d.]hh:mm:ss[.fff], such as 00:00:30 or 7.00:00:00";

    /// <summary>All values of a section, and the sections right below it, not what is in those. Empty values are none.</summary>
    public static IEnumerable<Setting> In(IConfiguration section) =>
        from child in section.GetChildren()
        let setting = new Setting(child.Path, child.Key, string.IsNullOrEmpty(child.Value) ? null : child.Value)
        where !setting.IsSection || child.GetChildren().Any()
        select setting;

    /// <summary>Whether it is a section without a value.</summary>
    public bool IsSection => Value is null;

    /// <summary>The value.</summary>
    /// <exception cref="InvalidOperationException">It is a section.</exception>
    public string Text => Value ?? throw new InvalidOperationException($"Configuration '{Path}' is a section, where a value is needed.");

    public ByteSize Size() => ByteSize.TryParse(Text, CultureInfo.InvariantCulture, out var size) ? size : throw NotUnderstood(SizeForms);

    public double Share() => double.TryParse(Text, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double share) && double.IsFinite(share) ? share : throw NotUnderstood("a number from 0 to 0.95, such as 0.85");

    public int Whole() => int.TryParse(Text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out int number) ? number : throw NotUnderstood("a whole number, such as 2");

    /// <summary>A span of time, in the one form that has no second reading: to TimeSpan.Parse "30" and "24:00:00" are 30 and 24 days.</summary>
    public TimeSpan Time(bool mayBeInfinite = false)
    {
        if (mayBeInfinite && Text.Equals("Infinite", StringComparison.OrdinalIgnoreCase)) return Timeout.InfiniteTimeSpan;
        return Text.Contains(':', StringComparison.Ordinal) && TimeSpan.TryParseExact(Text, "c", CultureInfo.InvariantCulture, out var time)
            ? time
            : throw NotUnderstood(mayBeInfinite ? $"{TimeForms}, or Infinite" : TimeForms);
    }

    public T OneOf<T>()
        where T : struct, Enum =>
        Enum.GetNames<T>().FirstOrDefault(name => name.Equals(Text, StringComparison.OrdinalIgnoreCase)) is { } known ? Enum.Parse<T>(known) : throw NotUnderstood($"one of {string.Join(", ", Enum.GetNames<T>())}");

    /// <summary>Does not tell the value: it may be anything, if this is the wrong section.</summary>
    public InvalidOperationException Unknown(IEnumerable<string> known) => new($"Configuration '{Path}' is set, but there is no option {Name}. Options are {string.Join(", ", known)}.");

    private InvalidOperationException NotUnderstood(string forms) => new($"Configuration '{Path}' is '{Text}', which is not understood. Write {forms}.");
}
