namespace WebApp;

/// <summary>The header that says where an answer came from.</summary>
internal static class CacheHeader
{
    public static void TellCache(this HttpResponse response, bool hit) => response.Headers["X-Cache"] = hit ? "hit" : "miss";
}
