using System.Diagnostics;
using System.Globalization;
using System.Text;
using System.Text.RegularExpressions;

namespace HybridCaching.WebTests;

/// <summary>The sample as a process of its own, on a port that the system has chosen.</summary>
internal sealed partial class ServerProcess : IDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(1);

    private readonly Process _process;
    private readonly StringBuilder _output = new();
    private readonly TaskCompletionSource<Uri> _address = new(TaskCreationOptions.RunContinuationsAsynchronously);

    private ServerProcess(Process process)
    {
        _process = process;
        _process.OutputDataReceived += (_, e) => Receive(e.Data);
        _process.ErrorDataReceived += (_, e) => Receive(e.Data);
        _process.BeginOutputReadLine();
        _process.BeginErrorReadLine();
    }

    /// <summary>All that it has written.</summary>
    public string Output
    {
        get
        {
            lock (_output) return _output.ToString();
        }
    }

    /// <summary>Starts it, and returns once it listens.</summary>
    public static async Task<ServerProcess> StartAsync(ContentRoot root, params string[] arguments)
    {
        var server = new ServerProcess(Process.Start(SampleCommand.Of("WebApp", root.Path, ["--urls", "http://127.0.0.1:0", .. arguments]))!);
        try
        {
            await server._address.Task.WaitAsync(Patience);
            return server;
        }
        catch (Exception e) when (e is TimeoutException or OperationCanceledException)
        {
            server.Dispose();
            throw new InvalidOperationException($"The sample does not listen:\n{server.Output}", e);
        }
    }

    /// <summary>A client over the network, with the cookies of one visitor.</summary>
    public HttpClient ClientOf(Visitor visitor) => new(visitor.Over(new SocketsHttpHandler { UseCookies = false })) { BaseAddress = _address.Task.Result };

    /// <summary>Asks it to end, as a service manager or a container does, and returns its exit code.</summary>
    public async Task<int> StopAsync()
    {
        Assert.True(Tool.TryRun("sh", "-c", FormattableString.Invariant($"kill -TERM {_process.Id}")), "kill -TERM");
        using var timeout = new CancellationTokenSource(Patience);
        await _process.WaitForExitAsync(timeout.Token);
        return _process.ExitCode;
    }

    public void Dispose()
    {
        if (!_process.HasExited) _process.Kill(entireProcessTree: true);
        _process.Dispose();
    }

    private void Receive(string? line)
    {
        if (line is null)
        {
            _address.TrySetCanceled(); // it has ended; no effect if it has listened
            return;
        }

        lock (_output) _output.Append(CultureInfo.InvariantCulture, $"{line}\n");
        if (Listening().Match(line) is { Success: true } match) _address.TrySetResult(new Uri(match.Groups["address"].Value));
    }

    [GeneratedRegex(@"Now listening on: (?<address>\S+)")]
    private static partial Regex Listening();
}
