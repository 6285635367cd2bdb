using HybridCaching.Records;

namespace HybridCaching.Store;

/// <summary>What is written into a record: its parts where they lie, so that they are copied once.</summary>
internal readonly unsafe struct RecordSource(ValueHeader* header, byte* value, int valueBytes)
{
    /// <summary>Bytes of the payload.</summary>
    public int Bytes => header->Bytes + valueBytes;

    /// <summary>Writes the payload.</summary>
    public void CopyTo(byte* payload)
    {
        var destination = new Span<byte>(payload, Bytes);
        header->CopyTo(destination);
        new ReadOnlySpan<byte>(value, valueBytes).CopyTo(destination[header->Bytes..]);
    }
}
