using HybridCaching.Records;
using HybridCaching.Store;

namespace HybridCaching.Tiering;

/// <summary>Collects the keys of records that a pattern describes, and where they lie; and those of which it would take too long to say inside the epoch.</summary>
internal readonly struct KeyCollector(KeyPattern pattern, List<(string Key, long Address)> keys) : IRecordVisitor
{
    public void Visit(long address, in BytesRecord record)
    {
        if (pattern.IsQuick(record.Key) ? pattern.Matches(record.Key) : KeyText.IsText(record.Key)) keys.Add((KeyText.Decode(record.Key), address));
    }
}
