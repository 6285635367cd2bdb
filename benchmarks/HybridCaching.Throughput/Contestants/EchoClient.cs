namespace HybridCaching.Throughput.Contestants;

/// <summary>Keeps nothing, and answers as if: what measures is compiled and has taken its memory before a contestant is opened.</summary>
internal sealed class EchoClient : IClient
{
    public int Get(long number, byte[] destination)
    {
        ValueStamp.Put(number, destination);
        return destination.Length;
    }

    public void Set(long number, byte[] value)
    {
    }

    public void Dispose()
    {
    }
}
