using HybridCaching.Records;

namespace HybridCaching.Tiering;

/// <summary>An entry that never leaves to make room.</summary>
internal sealed class PinnedEntry(ValueHeader header, byte[] value)
{
    private long _deadline = header.Deadline;

    public byte[] Value => value;

    /// <summary>The header, with the deadline as it is now.</summary>
    public ValueHeader Header
    {
        get
        {
            var copy = header;
            copy.Deadline = Volatile.Read(ref _deadline);
            return copy;
        }
    }

    /// <summary>Prolongs it, if it slides.</summary>
    public void Renew(long now) => Volatile.Write(ref _deadline, Header.Lifetime.Renewed(now));
}
