using System.Buffers.Binary;
using System.IO.Compression;

namespace HybridCaching.HitRate.Tests;

/// <summary>Writes the bytes of trace files.</summary>
internal static class TraceFile
{
    public static byte[] Keys(params long[] keys)
    {
        byte[] bytes = new byte[keys.Length * sizeof(long)];
        for (int i = 0; i < keys.Length; i++) BinaryPrimitives.WriteInt64LittleEndian(bytes.AsSpan(i * sizeof(long)), keys[i]);
        return bytes;
    }

    public static byte[] KeySizes(params (long Key, int Size)[] requests)
    {
        const int RecordBytes = sizeof(long) + sizeof(int);
        byte[] bytes = new byte[requests.Length * RecordBytes];
        for (int i = 0; i < requests.Length; i++)
        {
            BinaryPrimitives.WriteInt64LittleEndian(bytes.AsSpan(i * RecordBytes), requests[i].Key);
            BinaryPrimitives.WriteInt32LittleEndian(bytes.AsSpan((i * RecordBytes) + sizeof(long)), requests[i].Size);
        }

        return bytes;
    }

    public static byte[] Gzip(byte[] bytes)
    {
        using var target = new MemoryStream();
        using (var gzip = new GZipStream(target, CompressionLevel.Fastest)) gzip.Write(bytes);
        return target.ToArray();
    }
}
