namespace HybridCaching.SoakTests;

/// <summary>The cache under test, one kind or the other, with numbers as keys.</summary>
internal interface ISubject : IDisposable
{
    /// <summary>The shortest and the longest value.</summary>
    public (int Least, int Most) ValueBytes { get; }

    public CacheStatistics Statistics { get; }

    public MemoryUsage Memory { get; }

    /// <returns>The length of the value; -1 if there is none.</returns>
    public int Get(int key, Span<byte> destination);

    /// <param name="key">Which.</param>
    /// <param name="buffer">The value at its beginning.</param>
    /// <param name="length">The value's length.</param>
    /// <param name="lifetime">How long it lives; null for ever.</param>
    public void Set(int key, byte[] buffer, int length, TimeSpan? lifetime);

    public void Remove(int key);
}
