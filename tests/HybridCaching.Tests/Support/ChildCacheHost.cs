using System.Globalization;
using HybridCaching.Devices;
using HybridCaching.HotTier;
using HybridCaching.Tiering;

namespace HybridCaching.Tests.Support;

/// <summary>What a <see cref="ChildCache"/> does in its process. Never part of a run of the suite.</summary>
public sealed class ChildCacheHost
{
    [Fact(Explicit = true)]
    public async Task Child_Started_HoldsItsCacheOpen()
    {
        string directory = Environment.GetEnvironmentVariable(ChildCache.DirectoryVariable)!;
        using var cache = StampCache.Open(directory);
        foreach (string step in Environment.GetEnvironmentVariable(ChildCache.StepsVariable)!.Split(',')) await DoAsync(cache, step.Split(' '));
        await File.WriteAllTextAsync(Path.Combine(directory, ChildCache.OpenFile), "");
        await Task.Delay(Timeout.Infinite);
    }

    private static async Task DoAsync(FasterCache<long, Stamp> cache, string[] step)
    {
        switch (step[0])
        {
            case "set":
                cache.Fill(Number(step[1]), Number(step[2]), Number(step[3]));
                break;
            case "again":
                MakeUnlogged(cache, Number(step[1]), Number(step[2]), Number(step[3]));
                break;
            case "remove":
                for (long key = Number(step[1]); key < Number(step[1]) + Number(step[2]); key++) cache.Remove(key);
                break;
            case "clear":
                cache.Clear();
                break;
            case "resize":
                cache.Resize(ByteSize.Parse(step[1], CultureInfo.InvariantCulture), ByteSize.Parse(step[2], CultureInfo.InvariantCulture));
                break;
            case "flush":
                await cache.FlushAsync();
                break;
            case "rest":
                Assert.True(await cache.Tiers.CheckpointAsync(CancellationToken.None));
                break;
            case "rest-hung":
                await cache.GiveUpCheckpointAsync(static () => Thread.Sleep(Timeout.Infinite));
                break;
            case "copy":
                File.Copy(Path.Combine(cache.Tiers.Settings.Folder!, step[1]), Path.Combine(cache.Tiers.Settings.Folder!, step[2]));
                break;
            case "fail-writes":
                cache.Tiers.Device!.Fault = static r => r.Kind == IoKind.Write && r.Length > 0;
                break;
            case "forgo":
                PrivateField.Of<DiskTier>(cache.Tiers, "_disk").Forgo("its folder was lost");
                break;
            case "close":
                cache.Dispose();
                break;
            default:
                throw new ArgumentException($"'{step[0]}' is no step.");
        }
    }

    /// <summary>Reads and stores the same keys until many of them are in copies alone.</summary>
    private static void MakeUnlogged(FasterCache<long, Stamp> cache, long first, long count, long version)
    {
        var rows = PrivateField.Of<HotRows>(cache.Tiers, "_rows");
        Until.True(
            () =>
            {
                for (int i = 0; i < 4; i++) for (long key = first; key < first + count; key++) cache.TryGet(key, out _);
                cache.Fill(first, count, version);
                return rows.UnloggedCopies > count / 2;
            },
            "copies alone have what is stored again and again");
    }

    private static long Number(string text) => long.Parse(text, CultureInfo.InvariantCulture);
}
