namespace WebApp;

/// <summary>The page that explains the others and counts the visits of its visitor.</summary>
internal static class HomePage
{
    private const string VisitsKey = "visits";

    public static void MapHomePage(this IEndpointRouteBuilder app) => app.MapGet("/", AnswerAsync);

    private static async Task<IResult> AnswerAsync(HttpContext context, CancellationToken cancellationToken)
    {
        await context.Session.LoadAsync(cancellationToken);
        int visits = (context.Session.GetInt32(VisitsKey) ?? 0) + 1;
        context.Session.SetInt32(VisitsKey, visits);
        await context.Session.CommitAsync(cancellationToken); // before the page is sent: whoever has it may ask again at once
        return Results.Text(Html(visits), "text/html; charset=utf-8");
    }

    private static string Html(int visits) => $$"""
        <!DOCTYPE html>
        <html lang="en">
        <head>
          <meta charset="utf-8">
          <title>HybridCaching in a web application</title>
        </head>
        <body>
          <h1>HybridCaching in a web application</h1>
          <p>Visits in your session: <strong id="visits">{{visits}}</strong>. Reload the page, restart the program, reload it again: the counter goes on.</p>
          <ul>
            <li><a href="/factors/999997811598563">/factors/{number}</a>: prime factors as JSON, in the distributed cache. The header <code>X-Cache</code> says hit or miss.</li>
            <li><a href="/prime/100000">/prime/{n}</a>: the n-th prime, in a typed cache. One computation, however many ask at once.</li>
            <li><code>POST /session/{key}</code> stores its body in your session, <a href="/session/name"><code>GET /session/{key}</code></a> reads it:
              <pre>curl -c cookies -b cookies -d Ada http://localhost:5000/session/name
        curl -c cookies -b cookies http://localhost:5000/session/name</pre></li>
            <li><a href="/stats">/stats</a>: hits, misses, writes, memory and disk of both caches.</li>
            <li><a href="/health">/health</a>: Healthy, or Degraded with the reason. Start the program twice: the second one has to do without the disk.</li>
          </ul>
        </body>
        </html>
        """;
}
