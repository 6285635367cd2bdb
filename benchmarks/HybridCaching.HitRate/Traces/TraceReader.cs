using System.Buffers.Binary;
using System.IO.Compression;

namespace HybridCaching.HitRate.Traces;

/// <summary>Reads trace files.</summary>
/// <remarks>
/// <c>NAME.keys</c>: a little-endian int64 key per request. <c>NAME.keysizes</c>: per request a little-endian int64 key and a little-endian int32 size in bytes, the same in all requests of a key.
/// No header. Usually compressed with gzip, which <c>.gz</c> at the end of the name says.
/// </remarks>
internal static class TraceReader
{
    private const string Keys = ".keys";
    private const string KeySizes = ".keysizes";
    private const string Gzip = ".gz";
    private const int BufferBytes = 1 << 16;

    /// <summary>Whether a file's name is that of a trace.</summary>
    public static bool IsTrace(string path) => KindOf(path) is Keys or KeySizes;

    /// <summary>What a trace is called: the name of its file without the endings.</summary>
    public static string NameOf(string path)
    {
        string name = WithoutGzip(Path.GetFileName(path));
        return IsTrace(path) ? name[..^KindOf(path).Length] : name;
    }

    /// <exception cref="TraceFormatException">The file is not a trace.</exception>
    /// <exception cref="IOException">The file cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">The file may not be read.</exception>
    public static Trace Read(string path)
    {
        string file = Path.GetFileName(path);
        if (!IsTrace(path)) throw new TraceFormatException(file, "", $"the name of a trace ends in {Keys}, {KeySizes}, {Keys}{Gzip} or {KeySizes}{Gzip}");
        bool isSized = KindOf(path) == KeySizes;
        var builder = new TraceBuilder(NameOf(path), isSized);
        using var stream = new BufferedStream(Open(path), BufferBytes);
        try
        {
            ReadRecords(stream, file, isSized, builder);
        }
        catch (InvalidDataException e)
        {
            throw new TraceFormatException(file, PlaceOf(builder.Count, RecordBytes(isSized)), $"what follows is no gzip, or damaged: {e.Message}");
        }

        return builder.Count > 0 ? builder.Build() : throw new TraceFormatException(file, "", "there is no request in it");
    }

    private static void ReadRecords(Stream stream, string file, bool isSized, TraceBuilder builder)
    {
        byte[] record = new byte[RecordBytes(isSized)];
        while (stream.ReadAtLeast(record, record.Length, throwOnEndOfStream: false) is var length and > 0)
        {
            if (length < record.Length) throw Malformed($"the file ends after {length} of its {record.Length} bytes");
            long key = BinaryPrimitives.ReadInt64LittleEndian(record);
            int size = isSized ? BinaryPrimitives.ReadInt32LittleEndian(record.AsSpan(sizeof(long))) : 1;
            if (size <= 0) throw Malformed($"the size of key {key} is {size}, not a positive number");
            if (isSized && builder.WeightOf(key) is { } first && first != size) throw Malformed($"the size of key {key} is {size}, but was {first} before");
            builder.Add(key, size);
        }

        TraceFormatException Malformed(string problem) => new(file, PlaceOf(builder.Count, record.Length), problem);
    }

    private static Stream Open(string path)
    {
        var file = File.OpenRead(path);
        return path.EndsWith(Gzip, StringComparison.Ordinal) ? new GZipStream(file, CompressionMode.Decompress) : file;
    }

    /// <summary>The request that begins where so many have been read, counted from 1, and its first byte.</summary>
    private static string PlaceOf(int requests, int recordBytes) => FormattableString.Invariant($"request {requests + 1L} (byte {(long)requests * recordBytes})");

    private static int RecordBytes(bool isSized) => isSized ? sizeof(long) + sizeof(int) : sizeof(long);

    private static string KindOf(string path) => Path.GetExtension(WithoutGzip(path));

    private static string WithoutGzip(string path) => path.EndsWith(Gzip, StringComparison.Ordinal) ? path[..^Gzip.Length] : path;
}
