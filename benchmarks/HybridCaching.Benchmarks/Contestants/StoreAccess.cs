namespace HybridCaching.Benchmarks.Contestants;

/// <summary>How a raw store is called.</summary>
internal enum StoreAccess
{
    /// <summary>A session per worker, its basic context: the epoch is entered and left by FASTER for each operation.</summary>
    Basic,

    /// <summary>A session per worker; each operation between BeginUnsafe and EndUnsafe.</summary>
    Unsafe,

    /// <summary>As <see cref="Unsafe"/>, with a full fence after BeginUnsafe.</summary>
    FencedUnsafe,
}
