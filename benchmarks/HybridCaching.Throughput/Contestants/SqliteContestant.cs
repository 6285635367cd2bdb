using System.Runtime.InteropServices;
using HybridCaching.Throughput.Native;
using HybridCaching.Throughput.Workloads;

namespace HybridCaching.Throughput.Contestants;

/// <summary>SQLite in WAL mode, a connection per client, statements prepared once.</summary>
internal sealed unsafe class SqliteContestant : IContestant
{
    private const int PageBytes = 4096;
    private const int BusyMilliseconds = 10_000;

    private readonly Lock _writing = new(); // of one file there is one writer at a time; waiting here is cheaper than SQLite's sleeping
    private readonly string _path;
    private readonly long _cacheKibibytes;
    private readonly nint _first;

    public SqliteContestant(Conditions conditions, string directory)
    {
        _path = Path.Combine(directory, "cache.db");
        long cache = conditions.Memory / 16; // for the inner pages of the trees: what one connection writes throws out the caches of the others, and hot pages would be in all of them
        _cacheKibibytes = cache / 1024 / (conditions.Threads + 1);
        _first = Connect();

        // SQLite's documentation: rows longer than a twentieth of a page are better off outside the key's tree.
        bool isSmall = KeyText.Length + conditions.ValueBytes <= PageBytes / 20;
        Execute(_first, $"PRAGMA page_size={PageBytes}; PRAGMA journal_mode=WAL; CREATE TABLE entries (k BLOB PRIMARY KEY, v BLOB NOT NULL){(isSmall ? " WITHOUT ROWID" : "")}");
        Settings = $"WAL, synchronous=OFF, caches of {new ByteSize(_cacheKibibytes * 1024):H} for each of {conditions.Threads + 1} connections, pages of 4 KiB, key BLOB PRIMARY KEY{(isSmall ? ", WITHOUT ROWID" : "")}, a transaction per write, the rest of the memory for the page cache; no direct I/O";
    }

    public string Settings { get; }

    public long? MemoryInUse => SqliteImports.Status(0, out long current, out _, 0) == SqliteImports.Ok ? current : null;

    public IClient NewClient() => new Client(this);

    public void Dispose() => SqliteImports.Close(_first);

    private static void ThrowUnless(bool isFine, nint connection)
    {
        if (!isFine) throw new InvalidOperationException($"SQLite: {Marshal.PtrToStringUTF8(SqliteImports.ErrorText(connection))}");
    }

    private static void Execute(nint connection, string statements) => ThrowUnless(SqliteImports.Execute(connection, statements, 0, 0, 0) == SqliteImports.Ok, connection);

    private nint Connect()
    {
        int result = SqliteImports.Open(_path, out nint connection, SqliteImports.ReadWrite | SqliteImports.Create | SqliteImports.NoMutex, 0);
        ThrowUnless(result == SqliteImports.Ok, connection);
        ThrowUnless(SqliteImports.SetBusyTimeout(connection, BusyMilliseconds) == SqliteImports.Ok, connection);
        Execute(connection, $"PRAGMA synchronous=OFF; PRAGMA cache_size=-{_cacheKibibytes}");
        return connection;
    }

    private sealed class Client : IClient
    {
        private readonly SqliteContestant _contestant;
        private readonly nint _connection;
        private readonly nint _get;
        private readonly nint _set;
        private readonly nint _scan;

        public Client(SqliteContestant contestant)
        {
            _contestant = contestant;
            _connection = contestant.Connect();
            _get = Prepare("SELECT v FROM entries WHERE k = ?1");
            _set = Prepare("INSERT INTO entries (k, v) VALUES (?1, ?2) ON CONFLICT (k) DO UPDATE SET v = excluded.v");
            _scan = Prepare("SELECT v FROM entries WHERE k >= ?1 ORDER BY k LIMIT ?2");
        }

        public int Get(long number, byte[] destination)
        {
            byte* key = stackalloc byte[KeyText.Length];
            KeyText.Write(number, new Span<byte>(key, KeyText.Length));
            Check(SqliteImports.BindBlob(_get, 1, key, KeyText.Length, 0));
            return Read(_get, destination) == 0 ? IClient.Missing : destination.Length;
        }

        public void Set(long number, byte[] value)
        {
            byte* key = stackalloc byte[KeyText.Length];
            KeyText.Write(number, new Span<byte>(key, KeyText.Length));
            fixed (byte* bytes = value)
            {
                Check(SqliteImports.BindBlob(_set, 1, key, KeyText.Length, 0));
                Check(SqliteImports.BindBlob(_set, 2, bytes, value.Length, 0));
                lock (_contestant._writing)
                {
                    int result = SqliteImports.Step(_set);
                    Check(SqliteImports.Reset(_set));
                    ThrowUnless(result == SqliteImports.Done, _connection);
                }
            }
        }

        public int Scan(long number, int count, byte[] destination)
        {
            byte* key = stackalloc byte[KeyText.Length];
            KeyText.Write(number, new Span<byte>(key, KeyText.Length));
            Check(SqliteImports.BindBlob(_scan, 1, key, KeyText.Length, 0));
            Check(SqliteImports.BindInteger(_scan, 2, count));
            return Read(_scan, destination);
        }

        public void Dispose()
        {
            foreach (nint statement in (nint[])[_get, _set, _scan]) SqliteImports.Finish(statement);
            SqliteImports.Close(_connection);
        }

        /// <summary>Reads all rows; the value of the last one stays in the buffer.</summary>
        private int Read(nint statement, byte[] destination)
        {
            int rows = 0;
            int result;
            while ((result = SqliteImports.Step(statement)) == SqliteImports.Row)
            {
                byte* value = SqliteImports.Blob(statement, 0);
                new ReadOnlySpan<byte>(value, SqliteImports.BlobLength(statement, 0)).CopyTo(destination);
                rows++;
            }

            Check(SqliteImports.Reset(statement));
            ThrowUnless(result == SqliteImports.Done, _connection);
            return rows;
        }

        private nint Prepare(string text)
        {
            Check(SqliteImports.Prepare(_connection, text, -1, out nint statement, 0));
            return statement;
        }

        private void Check(int result) => ThrowUnless(result == SqliteImports.Ok, _connection);
    }
}
