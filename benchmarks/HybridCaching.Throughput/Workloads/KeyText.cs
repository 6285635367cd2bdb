namespace HybridCaching.Throughput.Workloads;

/// <summary>Keys as text: "user" and the hash of the number in 20 digits.</summary>
internal static class KeyText
{
    public const int Length = 24;

    private const string Format = "D20";

    public static string Of(long number) => string.Create(Length, KeyHash.Of(number), static (text, hash) =>
    {
        "user".CopyTo(text);
        hash.TryFormat(text[4..], out _, Format);
    });

    /// <summary>The text in UTF-8, put into a buffer of <see cref="Length"/> bytes.</summary>
    public static void Write(long number, Span<byte> key)
    {
        "user"u8.CopyTo(key);
        KeyHash.Of(number).TryFormat(key[4..], out _, Format);
    }
}
