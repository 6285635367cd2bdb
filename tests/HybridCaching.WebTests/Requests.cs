using System.Net;
using System.Text.Json;

namespace HybridCaching.WebTests;

/// <summary>What the tests ask of the sample.</summary>
internal static class Requests
{
    public static async Task SetSessionAsync(this HttpClient client, string key, string value)
    {
        using var response = await client.PostAsync($"/session/{key}", new StringContent(value));
        Assert.Equal(HttpStatusCode.NoContent, response.StatusCode);
    }

    /// <summary>The value in the session, or null.</summary>
    public static async Task<string?> GetSessionAsync(this HttpClient client, string key)
    {
        using var response = await client.GetAsync($"/session/{key}");
        if (response.StatusCode == HttpStatusCode.NotFound) return null;
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        return await response.Content.ReadAsStringAsync();
    }

    /// <summary>The answer, and whether it came from the cache.</summary>
    public static async Task<(string Cache, string Body)> GetCachedAsync(this HttpClient client, string path)
    {
        using var response = await client.GetAsync(path);
        Assert.Equal((HttpStatusCode.OK, "application/json"), (response.StatusCode, response.Content.Headers.ContentType?.MediaType));
        return (Assert.Single(response.Headers.GetValues("X-Cache")), await response.Content.ReadAsStringAsync());
    }

    public static async Task<JsonElement> GetJsonAsync(this HttpClient client, string path)
    {
        using var response = await client.GetAsync(path);
        Assert.Equal((HttpStatusCode.OK, "application/json"), (response.StatusCode, response.Content.Headers.ContentType?.MediaType));
        using var document = JsonDocument.Parse(await response.Content.ReadAsStringAsync());
        return document.RootElement.Clone();
    }
}
