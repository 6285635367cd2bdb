namespace HybridCaching.Tests.Distributed;

/// <summary>Which expirations an entry of a random sequence is given.</summary>
public enum BytesModelLifetime
{
    None,
    Absolute,
    Relative,
    AbsoluteAndRelative,
    Sliding,
    SlidingAndAbsolute,
    SlidingAndRelative,
    Past,
}
