namespace HybridCaching.Throughput.Contestants;

/// <summary>What one thread does with a contestant. Entries are named by number; each contestant makes keys of its kind from it.</summary>
internal interface IClient : IDisposable
{
    public const int Missing = -1;

    /// <summary>Copies the value into the buffer of the caller, which is as long as values are.</summary>
    /// <returns>Its length, or <see cref="Missing"/>.</returns>
    public int Get(long number, byte[] destination);

    /// <summary>Stores a copy of the value.</summary>
    public void Set(long number, byte[] value);

    /// <summary>Reads entries in the order of their keys, from this one on, the last of them into the buffer.</summary>
    /// <returns>How many there were.</returns>
    /// <exception cref="NotSupportedException">It knows no order.</exception>
    public int Scan(long number, int count, byte[] destination) => throw new NotSupportedException();
}
