using System.Runtime.InteropServices;

namespace HybridCaching.Throughput.Native;

/// <summary>MDB_val: bytes that somebody else owns.</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct LmdbBytes(byte* start, int length)
{
    public nuint Length = (nuint)length;
    public byte* Start = start;
}
