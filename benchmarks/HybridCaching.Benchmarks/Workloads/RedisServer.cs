using System.ComponentModel;
using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using StackExchange.Redis;

namespace HybridCaching.Benchmarks.Workloads;

/// <summary>A Redis server of our own on a free port of the loopback, without files, and a connection to it.</summary>
internal sealed class RedisServer : IDisposable
{
    private const int KeysPerStep = 1000;
    private const int Batch = 1000;

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(100);

    private readonly WorkDirectory _directory;
    private readonly Process _process;
    private readonly ConnectionMultiplexer _connection;
    private readonly IServer _server;

    private RedisServer(WorkDirectory directory, Process process, ConnectionMultiplexer connection)
    {
        _directory = directory;
        _process = process;
        _connection = connection;
        _server = connection.GetServer(connection.GetEndPoints()[0]);
    }

    /// <summary>Null where there is no redis-server to start.</summary>
    public static RedisServer? TryStart()
    {
        var directory = new WorkDirectory();
        Process? process = null;
        try
        {
            int port = FreePort();
            process = Process.Start("redis-server", ["--port", $"{port}", "--bind", $"{IPAddress.Loopback}", "--save", "", "--appendonly", "no", "--dir", directory.Path, "--logfile", "log"]);
            return new RedisServer(directory, process, Connect(port));
        }
        catch (Exception failure)
        {
            process?.Kill();
            process?.WaitForExit();
            directory.Dispose();
            if (failure is not Win32Exception) throw;
            return null;
        }
    }

    public void Set(IEnumerable<(string Key, byte[] Value)> entries)
    {
        var database = _connection.GetDatabase();
        foreach (var batch in entries.Chunk(Batch)) Task.WaitAll([.. batch.Select(entry => database.StringSetAsync(entry.Key, entry.Value))]);
    }

    /// <summary>How many keys SCAN MATCH gives, a thousand looked at per step.</summary>
    public int CountKeys(string mask) => _server.Keys(database: 0, mask, KeysPerStep, cursor: 0).Count();

    public void Dispose()
    {
        _connection.Dispose();
        _process.Kill();
        _process.WaitForExit();
        _process.Dispose();
        _directory.Dispose();
    }

    private static int FreePort()
    {
        using var listener = new TcpListener(IPAddress.Loopback, port: 0);
        listener.Start();
        return ((IPEndPoint)listener.LocalEndpoint).Port;
    }

    private static ConnectionMultiplexer Connect(int port)
    {
        for (long start = Stopwatch.GetTimestamp(); ; Thread.Sleep(Pause))
        {
            try
            {
                return ConnectionMultiplexer.Connect($"{IPAddress.Loopback}:{port}");
            }
            catch (RedisConnectionException) when (Stopwatch.GetElapsedTime(start) < Patience)
            {
                // It has not opened its port yet.
            }
        }
    }
}
