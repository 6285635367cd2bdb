namespace WebApp;

/// <summary>Values in the visitor's session. The session is one entry of the distributed cache, under the key in the visitor's cookie.</summary>
internal static class SessionEndpoints
{
    public static void MapSession(this IEndpointRouteBuilder app)
    {
        app.MapGet("/session/{key}", ReadAsync);
        app.MapPost("/session/{key}", WriteAsync);
    }

    private static async Task<IResult> ReadAsync(string key, HttpContext context, CancellationToken cancellationToken)
    {
        await context.Session.LoadAsync(cancellationToken);
        return context.Session.GetString(key) is { } value ? Results.Text(value) : Results.NotFound();
    }

    private static async Task<IResult> WriteAsync(string key, HttpContext context, CancellationToken cancellationToken)
    {
        using var body = new StreamReader(context.Request.Body);
        string value = await body.ReadToEndAsync(cancellationToken);
        await context.Session.LoadAsync(cancellationToken);
        context.Session.SetString(key, value);
        await context.Session.CommitAsync(cancellationToken); // left to the middleware, a failure would be logged and the visitor not told
        return Results.NoContent();
    }
}
