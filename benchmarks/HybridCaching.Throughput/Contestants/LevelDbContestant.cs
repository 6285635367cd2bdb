using System.Globalization;
using System.Runtime.InteropServices;
using HybridCaching.Throughput.Native;
using HybridCaching.Throughput.Workloads;

namespace HybridCaching.Throughput.Contestants;

/// <summary>LevelDB with bloom filters, as its documentation advises for random reads. It always writes its log, and knows no direct I/O: it maps its files into memory, and keeps no block of these in its block cache, so the page cache is what it has.</summary>
internal sealed unsafe class LevelDbContestant : IContestant
{
    private const int BloomBitsPerKey = 10;
    private const int NoCompression = 0;

    private readonly nint _options = LevelDbImports.CreateOptions();
    private readonly nint _filter = LevelDbImports.CreateBloomFilter(BloomBitsPerKey);
    private readonly nint _cache;
    private readonly nint _database;
    private readonly nint _readOptions = LevelDbImports.CreateReadOptions();
    private readonly nint _writeOptions = LevelDbImports.CreateWriteOptions();

    public LevelDbContestant(Conditions conditions, string directory)
    {
        long writeBuffer = conditions.Memory / 16; // two of them while one is written
        long cache = conditions.Memory / 64; // for files that are not mapped, beyond the first thousand
        _cache = LevelDbImports.CreateCache((nuint)cache);
        LevelDbImports.SetCreateIfMissing(_options, 1);
        LevelDbImports.SetCompression(_options, NoCompression);
        LevelDbImports.SetWriteBufferSize(_options, (nuint)writeBuffer);
        LevelDbImports.SetCache(_options, _cache);
        LevelDbImports.SetFilterPolicy(_options, _filter);
        _database = LevelDbImports.Open(_options, directory, out nint error);
        ThrowIfAny(error);
        Settings = $"2 write buffers of {new ByteSize(writeBuffer):H}, a block cache of {new ByteSize(cache):H} for files that are not mapped, the rest for indexes, filters and the page cache, mappings declared random, bloom filters of {BloomBitsPerKey} bits, log without sync, no compression; no direct I/O";
    }

    public string Settings { get; }

    public long? MemoryInUse
    {
        get
        {
            nint text = LevelDbImports.Property(_database, "leveldb.approximate-memory-usage");
            if (text == 0) return null;
            long bytes = long.Parse(Marshal.PtrToStringUTF8(text)!, CultureInfo.InvariantCulture);
            LevelDbImports.Free(text);
            return bytes;
        }
    }

    public IClient NewClient() => new Client(this);

    public void Dispose()
    {
        LevelDbImports.Close(_database);
        LevelDbImports.DestroyReadOptions(_readOptions);
        LevelDbImports.DestroyWriteOptions(_writeOptions);
        LevelDbImports.DestroyOptions(_options);
        LevelDbImports.DestroyFilterPolicy(_filter);
        LevelDbImports.DestroyCache(_cache);
    }

    private static void ThrowIfAny(nint error)
    {
        if (error == 0) return;
        string text = Marshal.PtrToStringUTF8(error)!;
        LevelDbImports.Free(error);
        throw new InvalidOperationException($"LevelDB: {text}");
    }

    private sealed class Client(LevelDbContestant contestant) : IClient
    {
        public int Get(long number, byte[] destination)
        {
            byte* key = stackalloc byte[KeyText.Length];
            KeyText.Write(number, new Span<byte>(key, KeyText.Length));
            byte* value = LevelDbImports.Get(contestant._database, contestant._readOptions, key, KeyText.Length, out nuint length, out nint error);
            ThrowIfAny(error);
            if (value == null) return IClient.Missing;
            new ReadOnlySpan<byte>(value, (int)length).CopyTo(destination);
            LevelDbImports.Free((nint)value);
            return (int)length;
        }

        public void Set(long number, byte[] value)
        {
            byte* key = stackalloc byte[KeyText.Length];
            KeyText.Write(number, new Span<byte>(key, KeyText.Length));
            nint error;
            fixed (byte* bytes = value) LevelDbImports.Put(contestant._database, contestant._writeOptions, key, KeyText.Length, bytes, (nuint)value.Length, out error);
            ThrowIfAny(error);
        }

        public int Scan(long number, int count, byte[] destination)
        {
            byte* key = stackalloc byte[KeyText.Length];
            KeyText.Write(number, new Span<byte>(key, KeyText.Length));
            nint iterator = LevelDbImports.CreateIterator(contestant._database, contestant._readOptions);
            int found = 0;
            for (LevelDbImports.Seek(iterator, key, KeyText.Length); found < count && LevelDbImports.IsValid(iterator) != 0; LevelDbImports.Next(iterator), found++)
            {
                byte* value = LevelDbImports.Value(iterator, out nuint length);
                new ReadOnlySpan<byte>(value, (int)length).CopyTo(destination);
            }

            LevelDbImports.IteratorError(iterator, out nint error);
            LevelDbImports.DestroyIterator(iterator);
            ThrowIfAny(error);
            return found;
        }

        public void Dispose()
        {
        }
    }
}
