namespace HybridCaching.Records;

/// <summary>What a look-up has found beside the bytes of the value.</summary>
internal struct FoundValue
{
    /// <summary>The header, with the deadline as it is now.</summary>
    public ValueHeader Header;

    /// <summary>Where the pieces of the value are, if it lies in pieces.</summary>
    public ChunkList Chunks;

    public readonly bool IsInChunks => Header.Kind == ValueKind.ChunkList;

    /// <summary>Takes over a value that was found: its bytes go into the buffer, unless they are but a list of pieces.</summary>
    /// <returns>False if it is damaged.</returns>
    public bool TryTake(in ValueHeader header, ReadOnlySpan<byte> value, ref ValueBuffer buffer)
    {
        Header = header;
        if (IsInChunks) return ChunkList.TryParse(value, out Chunks);
        var destination = buffer.Take(value.Length);
        if (!destination.IsEmpty) value.CopyTo(destination);
        return true;
    }
}
