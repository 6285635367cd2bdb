using System.Globalization;
using System.Security.Cryptography;
using System.Text;

namespace HybridCaching.Configuration;

/// <summary>Names of caches, which are also names of folders on every platform.</summary>
internal static class CacheName
{
    public const string Rule = "must be 1 to 64 characters of A-Z a-z 0-9 . _ - that begin with a letter or digit, do not end with a dot, and are no device name (CON, NUL, ...)";

    private const int MaximumLength = 64;

    private static readonly HashSet<string> DeviceNames = new(
        ["CON", "PRN", "AUX", "NUL", .. Enumerable.Range(0, 10).SelectMany(i => new[] { $"COM{i}", $"LPT{i}" })], StringComparer.OrdinalIgnoreCase);

    public static bool IsValid(string name) =>
        name.Length is > 0 and <= MaximumLength
        && name.All(IsLegal)
        && char.IsAsciiLetterOrDigit(name[0])
        && name[^1] != '.'
        && !DeviceNames.Contains(name.Split('.')[0]);

    /// <summary>So much of a readable text is kept where a mark stands for the rest.</summary>
    private const int ReadableLength = 50;

    /// <summary>A readable name for a pair of types, the same in every process: <c>Int64-Quote-1f2e3d4c</c>.</summary>
    public static string Of(Type key, Type value) => Marked($"{Readable(key)}-{Readable(value)}", Encoding.UTF8.GetBytes($"{key}|{value}"));

    /// <summary>The name of a cache that is registered under a key, the same in every process if the key's text is: <c>distributed-sessions</c>.</summary>
    public static string WithKey(string name, object key)
    {
        string text = Convert.ToString(key, CultureInfo.InvariantCulture) ?? "";
        string plain = $"{name}-{text}";
        if (key is string && IsValid(plain)) return plain;
        string cut = name.Length > ReadableLength ? $"{name}|" : "";
        return Marked(string.Concat(plain.Where(IsLegal)), Encoding.Unicode.GetBytes($"{cut}{key.GetType()}|{text}"));
    }

    /// <summary>As much of a readable text as fits, and a mark of what it was made from.</summary>
    private static string Marked(string readable, byte[] origin) =>
        $"{readable[..Math.Min(readable.Length, ReadableLength)]}-{Convert.ToHexStringLower(SHA256.HashData(origin).AsSpan(0, 4))}";

    private static bool IsLegal(char c) => char.IsAsciiLetterOrDigit(c) || c is '.' or '_' or '-';

    private static string Readable(Type type) => string.Concat(type.Name.Where(char.IsAsciiLetterOrDigit)) is { Length: > 0 } name ? name : "Type";
}
