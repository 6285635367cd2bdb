using HybridCaching.Records;

namespace HybridCaching.Tiering;

/// <summary>Where a value goes that a caller has asked for. Its members are called with nothing held.</summary>
internal interface IValueDestination
{
    /// <summary>What the value goes into first if it is not in the hot tier.</summary>
    public ValueBuffer Buffer { get; }

    /// <summary>Room for a value of the hot tier.</summary>
    public Span<byte> Take(int length);

    /// <summary>The value is in the room that was taken last.</summary>
    public void Complete(int length);

    /// <summary>Takes over what is in <see cref="Buffer"/> if the read is a hit, and gives that back in any case.</summary>
    public void Accept(ref BytesRead read);
}
