namespace HybridCaching.Tiering;

/// <summary>A key of the bytes cache that is read where that may have to be waited for, and how far it has come: in one place, which what waits refers to.</summary>
/// <param name="key">The key, encoded.</param>
/// <param name="hash">Its hash.</param>
/// <param name="read">How far it has come.</param>
internal sealed class KeyRead(byte[] key, ulong hash, BytesRead read)
{
    public BytesRead Read = read;

    public byte[] Key => key;

    public ulong Hash { get; set; } = hash;
}
