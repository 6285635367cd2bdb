using System.Text.Json;

namespace DirectoryDigest;

/// <summary>The last cold run, noted beside the cache so that a warm run can say how much faster it was.</summary>
internal sealed record ColdRun(string Directory, int ChunkBytes, long Chunks, double Seconds)
{
    private const string FileName = "last-cold-run.json";

    /// <summary>The note, or null where there is none, it cannot be read, or it is about other work.</summary>
    public static ColdRun? ReadFor(DigestOptions options)
    {
        try
        {
            var noted = JsonSerializer.Deserialize<ColdRun>(File.ReadAllBytes(PathFor(options)));
            bool sameWork = noted is { Seconds: > 0 } && noted.Directory == options.Directory && noted.ChunkBytes == options.ChunkBytes;
            return sameWork ? noted : null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or JsonException)
        {
            return null;
        }
    }

    /// <summary>Notes a cold run. Without the note the next run only says less, so a failure to write it is not an error.</summary>
    public static void Write(DigestOptions options, long chunks, TimeSpan time)
    {
        try
        {
            var run = new ColdRun(options.Directory, options.ChunkBytes, chunks, time.TotalSeconds);
            File.WriteAllBytes(PathFor(options), JsonSerializer.SerializeToUtf8Bytes(run));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
        }
    }

    private static string PathFor(DigestOptions options) => Path.Combine(options.CacheDirectory, FileName);
}
