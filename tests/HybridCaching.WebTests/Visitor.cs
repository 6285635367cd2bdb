using System.Net;

namespace HybridCaching.WebTests;

/// <summary>Somebody with a browser: keeps cookies, whichever server they came from.</summary>
internal sealed class Visitor
{
    private readonly CookieContainer _cookies = new();

    /// <summary>Adds the cookies to what another handler sends, and keeps those it receives.</summary>
    public HttpMessageHandler Over(HttpMessageHandler inner) => new Handler(_cookies) { InnerHandler = inner };

    private sealed class Handler(CookieContainer cookies) : DelegatingHandler
    {
        protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            if (cookies.GetCookieHeader(request.RequestUri!) is { Length: > 0 } header) request.Headers.Add("Cookie", header);
            var response = await base.SendAsync(request, cancellationToken);
            if (!response.Headers.TryGetValues("Set-Cookie", out var received)) return response;
            foreach (string cookie in received) cookies.SetCookies(request.RequestUri!, cookie);
            return response;
        }
    }
}
