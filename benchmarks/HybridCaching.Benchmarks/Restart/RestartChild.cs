using System.Diagnostics;
using System.Globalization;

namespace HybridCaching.Benchmarks.Restart;

/// <summary>A process with a cache that is never closed: it fills it, or reads it, says so, and waits for its end.</summary>
internal static class RestartChild
{
    public const string Command = "restart-child";
    public const string Fill = "fill";
    public const string Read = "read";
    public const string Close = "close";
    public const int Entries = 10_000_000;
    public const int Sample = 100_000;

    /// <summary>So many reads in a row are looked at for how warm the cache is.</summary>
    public const int Window = 1000;

    /// <summary>Of which so many are hits where it is warm: all are where nothing is missing.</summary>
    public const int HitsOfWindow = Window * 95 / 100;

    /// <returns>1 if a value was wrong; otherwise it does not return.</returns>
    public static async Task<int> RunAsync(string task, string directory)
    {
        long start = Stopwatch.GetTimestamp();
        var cache = new FasterCache<long, Entry100>(new FasterCacheOptions { Directory = directory, Name = "restart", MemoryBudget = "512MB", DiskBudget = "2GB" });
        if (task == Fill)
        {
            for (long key = 0; key < Entries; key++) cache.Set(key, Entry100.Of(key));
            await cache.FlushAsync();
            Say("filled", cache.EstimatedCount);
        }
        else if (task == Close)
        {
            cache.Dispose();
            Say("closed");
        }
        else
        {
            double opened = Stopwatch.GetElapsedTime(start).TotalMilliseconds;
            var random = new Random(1);
            double firstHit = 0;
            double warm = double.PositiveInfinity;
            int hits = 0;
            int hitsBefore = 0;
            for (int i = 0; i < Sample; i++)
            {
                if (i % Window == 0 && i > 0)
                {
                    if (hits - hitsBefore >= HitsOfWindow) warm = Math.Min(warm, Stopwatch.GetElapsedTime(start).TotalMilliseconds);
                    hitsBefore = hits;
                }

                long key = random.NextInt64(Entries);
                if (!cache.TryGet(key, out var value)) continue;
                if (!value.IsOf(key)) return 1;
                if (hits++ == 0) firstHit = Stopwatch.GetElapsedTime(start).TotalMilliseconds;
            }

            Say("read", opened, firstHit, warm, hits);
        }

        await Task.Delay(Timeout.Infinite);
        return 0;
    }

    private static void Say(string what, params double[] figures) => Console.WriteLine(string.Join(' ', figures.Select(f => f.ToString("F1", CultureInfo.InvariantCulture)).Prepend(what)));
}
