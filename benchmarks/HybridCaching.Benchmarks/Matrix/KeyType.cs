namespace HybridCaching.Benchmarks.Matrix;

/// <summary>The type of keys, which decides what a dictionary pays for hashing and comparing them.</summary>
public enum KeyType
{
    /// <summary>A number that is its own hash: the best case of a dictionary.</summary>
    Int64,

    /// <summary>16 bytes.</summary>
    Guid,

    /// <summary>A struct of two numbers, 8 bytes together.</summary>
    Struct,
}
