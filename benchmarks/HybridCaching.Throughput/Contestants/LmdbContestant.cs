using System.Runtime.InteropServices;
using HybridCaching.Throughput.Native;
using HybridCaching.Throughput.Workloads;

namespace HybridCaching.Throughput.Contestants;

/// <summary>LMDB: a B+tree in a file that is mapped into memory. The page cache is its only cache; each write is a transaction, without waiting for the disk.</summary>
internal sealed unsafe class LmdbContestant : IContestant
{
    private const uint Flags = LmdbImports.NoSync | LmdbImports.NoThreadStorage | LmdbImports.NoReadAhead;
    private const uint FileMode = 0x180; // 0600
    private const long LeastMap = 64 << 20;
    private const int MapTimesData = 8;

    private readonly nint _environment;
    private readonly uint _database;

    public LmdbContestant(Conditions conditions, string directory)
    {
        ThrowIfAny(LmdbImports.CreateEnvironment(out _environment));
        ThrowIfAny(LmdbImports.SetMapSize(_environment, (nuint)(LeastMap + (MapTimesData * conditions.DataBytes))));
        ThrowIfAny(LmdbImports.OpenEnvironment(_environment, directory, Flags, FileMode));
        ThrowIfAny(LmdbImports.Begin(_environment, 0, 0, out nint transaction));
        ThrowIfAny(LmdbImports.OpenDatabase(transaction, 0, 0, out _database));
        ThrowIfAny(LmdbImports.Commit(transaction));
        Settings = "MDB_NOSYNC, MDB_NORDAHEAD, MDB_NOTLS, a transaction per write, read transactions renewed; all its cache is the page cache";
    }

    public string Settings { get; }

    public long? MemoryInUse => null;

    public IClient NewClient() => new Client(this);

    public void Dispose() => LmdbImports.CloseEnvironment(_environment);

    private static void ThrowIfAny(int error)
    {
        if (error != 0) throw new InvalidOperationException($"LMDB: {Marshal.PtrToStringUTF8(LmdbImports.ErrorText(error))}");
    }

    private sealed class Client : IClient
    {
        private readonly LmdbContestant _contestant;
        private readonly nint _reading;

        public Client(LmdbContestant contestant)
        {
            _contestant = contestant;
            ThrowIfAny(LmdbImports.Begin(contestant._environment, 0, LmdbImports.ReadOnly, out _reading));
            LmdbImports.Reset(_reading);
        }

        public int Get(long number, byte[] destination)
        {
            byte* text = stackalloc byte[KeyText.Length];
            KeyText.Write(number, new Span<byte>(text, KeyText.Length));
            var key = new LmdbBytes(text, KeyText.Length);
            LmdbBytes value;
            ThrowIfAny(LmdbImports.Renew(_reading));
            int error = LmdbImports.Get(_reading, _contestant._database, &key, &value);
            if (error == 0) new ReadOnlySpan<byte>(value.Start, (int)value.Length).CopyTo(destination);
            LmdbImports.Reset(_reading);
            if (error == LmdbImports.NotFound) return IClient.Missing;
            ThrowIfAny(error);
            return (int)value.Length;
        }

        public void Set(long number, byte[] value)
        {
            byte* text = stackalloc byte[KeyText.Length];
            KeyText.Write(number, new Span<byte>(text, KeyText.Length));
            var key = new LmdbBytes(text, KeyText.Length);
            ThrowIfAny(LmdbImports.Begin(_contestant._environment, 0, 0, out nint transaction));
            fixed (byte* bytes = value)
            {
                var data = new LmdbBytes(bytes, value.Length);
                int error = LmdbImports.Put(transaction, _contestant._database, &key, &data, 0);
                if (error != 0) LmdbImports.Abort(transaction);
                ThrowIfAny(error);
            }

            ThrowIfAny(LmdbImports.Commit(transaction));
        }

        public int Scan(long number, int count, byte[] destination)
        {
            byte* text = stackalloc byte[KeyText.Length];
            KeyText.Write(number, new Span<byte>(text, KeyText.Length));
            var key = new LmdbBytes(text, KeyText.Length);
            LmdbBytes value;
            ThrowIfAny(LmdbImports.Renew(_reading));
            ThrowIfAny(LmdbImports.OpenCursor(_reading, _contestant._database, out nint cursor));
            int found = 0;
            int error = LmdbImports.MoveCursor(cursor, &key, &value, LmdbImports.SetRange);
            while (error == 0 && found < count)
            {
                new ReadOnlySpan<byte>(value.Start, (int)value.Length).CopyTo(destination);
                found++;
                error = LmdbImports.MoveCursor(cursor, &key, &value, LmdbImports.NextEntry);
            }

            LmdbImports.CloseCursor(cursor);
            LmdbImports.Reset(_reading);
            if (error != LmdbImports.NotFound) ThrowIfAny(error);
            return found;
        }

        public void Dispose() => LmdbImports.Abort(_reading);
    }
}
