namespace HybridCaching.Tests.Support;

/// <summary>A value that says which key it was stored under and when, so that any reader can judge it without knowing what was written.</summary>
public readonly record struct Stamp(long Key, long Version, ulong First, ulong Second)
{
    public static Stamp Of(long key, long version)
    {
        ulong seed = ((ulong)key * 0x9E37_79B9_7F4A_7C15) ^ (ulong)version;
        return new Stamp(key, version, Mix(seed), Mix(seed + 1));
    }

    /// <summary>Whether this is what <see cref="Of"/> made for the key, of whatever version.</summary>
    public bool IsGenuine(long key) => Key == key && this == Of(key, Version);

    private static ulong Mix(ulong x)
    {
        x = (x ^ (x >> 30)) * 0xBF58_476D_1CE4_E5B9;
        x = (x ^ (x >> 27)) * 0x94D0_49BB_1331_11EB;
        return x ^ (x >> 31);
    }
}
