using System.Diagnostics;
using System.Net;

namespace HybridCaching.WebTests;

/// <summary>
/// Sets session values over HTTP from several clients at once, and reads the values of all sessions back. A client works through one session after the other, as many visitors would:
/// each session has its own cookie and is met again only when it is read back.
/// </summary>
internal sealed class SessionLoad(int sets, Action<string> report)
{
    private const int Clients = 8;
    private const int SetsPerSession = 50;
    private const int KeysPerSession = 5;
    private const int SetsPerReport = 50_000;

    private readonly string?[] _cookies = new string?[(sets + SetsPerSession - 1) / SetsPerSession];
    private int _done;
    private int _errors;
    private string? _firstError;

    /// <summary>Requests that were not answered as they should be.</summary>
    public int Errors => Volatile.Read(ref _errors);

    public string? FirstError => _firstError;

    public async Task SetAsync(Uri address)
    {
        using var client = ClientOf(address);
        long start = Stopwatch.GetTimestamp();
        await ForEachSessionAsync(session => SetAsync(client, session));
        var elapsed = Stopwatch.GetElapsedTime(start);
        report($"{sets:N0} sets, {Errors:N0} errors, {elapsed.TotalSeconds:N1} s, {sets / elapsed.TotalSeconds:N0} sets per second");
    }

    /// <summary>Reads every value of every session. One that is missing or not the one set last is an error.</summary>
    public async Task ReadBackAsync(Uri address)
    {
        using var client = ClientOf(address);
        int before = Errors;
        await ForEachSessionAsync(session => ReadBackAsync(client, session));
        report($"{_cookies.Length:N0} sessions read back, {Errors - before:N0} errors");
    }

    private static HttpClient ClientOf(Uri address) => new(new SocketsHttpHandler { UseCookies = false }) { BaseAddress = address };

    private static string Value(int session, int set) => $"session {session}, set {set}, and what else a visitor's session holds";

    private int SetsOf(int session) => Math.Min(SetsPerSession, sets - (session * SetsPerSession));

    private Task ForEachSessionAsync(Func<int, Task> work)
    {
        int next = -1;
        return Task.WhenAll(Enumerable.Range(0, Clients).Select(async _ =>
        {
            for (int session = Interlocked.Increment(ref next); session < _cookies.Length; session = Interlocked.Increment(ref next)) await work(session);
        }));
    }

    private async Task SetAsync(HttpClient client, int session)
    {
        for (int set = 0; set < SetsOf(session); set++)
        {
            using var response = await SendAsync(client, HttpMethod.Post, session, set % KeysPerSession, HttpStatusCode.NoContent, Value(session, set));
            if (response?.Headers.TryGetValues("Set-Cookie", out var cookies) == true) _cookies[session] = cookies.Single().Split(';')[0];
            int done = Interlocked.Increment(ref _done);
            if (done % SetsPerReport == 0) report($"{done:N0} of {sets:N0} sets, {Errors:N0} errors");
        }
    }

    private async Task ReadBackAsync(HttpClient client, int session)
    {
        int count = SetsOf(session);
        for (int set = Math.Max(0, count - KeysPerSession); set < count; set++)
        {
            using var response = await SendAsync(client, HttpMethod.Get, session, set % KeysPerSession, HttpStatusCode.OK);
            if (response is null) continue;
            string value = await response.Content.ReadAsStringAsync();
            if (value != Value(session, set)) CountError($"session {session} has '{value}' instead of '{Value(session, set)}'");
        }
    }

    /// <summary>The response; null, and an error counted, if there was none or not the one expected.</summary>
    private async Task<HttpResponseMessage?> SendAsync(HttpClient client, HttpMethod method, int session, int key, HttpStatusCode expected, string? body = null)
    {
        using var request = new HttpRequestMessage(method, $"/session/key{key}");
        if (body is not null) request.Content = new StringContent(body);
        if (_cookies[session] is { } cookie) request.Headers.Add("Cookie", cookie);
        try
        {
            var response = await client.SendAsync(request);
            if (response.StatusCode == expected) return response;
            CountError($"{method} of key {key} in session {session}: {response.StatusCode}");
            response.Dispose();
        }
        catch (Exception e) when (e is HttpRequestException or OperationCanceledException)
        {
            CountError($"{method} of key {key} in session {session}: {e.Message}");
        }

        return null;
    }

    private void CountError(string error)
    {
        Interlocked.Increment(ref _errors);
        Interlocked.CompareExchange(ref _firstError, error, null);
    }
}
