using FASTER.core;

namespace HybridCaching.Store;

/// <summary>FASTER's callbacks for the bytes log. They run inside the epoch and only copy bytes. Reads and overwrites in place are done without FASTER.</summary>
internal sealed unsafe class BytesFunctions : FunctionsBase<SpanByte, SpanByte, RecordSource, Empty, Empty>
{
    public override bool SingleWriter(ref SpanByte key, ref RecordSource input, ref SpanByte src, ref SpanByte dst, ref Empty output, ref UpsertInfo upsertInfo, WriteReason reason)
    {
        dst.Length = input.Bytes;
        input.CopyTo(dst.ToPointer());
        return true;
    }

    /// <summary>Has FASTER append: the session has looked already whether the value fits where the old one is.</summary>
    public override bool ConcurrentWriter(ref SpanByte key, ref RecordSource input, ref SpanByte src, ref SpanByte dst, ref Empty output, ref UpsertInfo upsertInfo) => false;

    /// <summary>Leaves the page's zeros: an empty payload. What it overrides would write a pointer there.</summary>
    public override bool SingleDeleter(ref SpanByte key, ref SpanByte value, ref DeleteInfo deleteInfo) => true;
}
