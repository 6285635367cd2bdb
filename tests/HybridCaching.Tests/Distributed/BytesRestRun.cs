using System.Buffers;
using HybridCaching.Devices;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Distributed;

/// <summary>A <see cref="RestRun"/> of a cache of bytes: values of all sizes, every third key a tag marker.</summary>
internal sealed class BytesRestRun(FasterDistributedCache cache, string directory) : RestRun(BytesCache.FolderIn(directory), keys: 300, writers: 3)
{
    private const int MostMarkerBytes = 200;
    private const int LongestUsual = 2_000;

    public static FasterDistributedCache Open(string directory, CollectingLoggerFactory? log = null, TimeSpan? diskTimeout = null) =>
        BytesCache.Open(directory, memory: "32MB", disk: "512MB", change: o => o.DiskTimeout = diskTimeout ?? Until.Deadline, log: log);

    protected override void Set(int key, int writer, long number, Random random)
    {
        int most = IsMarker(key) && random.Next(8) > 0 ? MostMarkerBytes : random.Next(30) == 0 ? BytesCache.LargestValue : LongestUsual;
        byte[] value = BytesValue.Of(NameOf(key), writer, number, BytesValue.AnyLength(random, BytesValue.HeaderBytes, most));
        switch (random.Next(3))
        {
            case 0:
                cache.SetAsync(NameOf(key), value, BytesCache.ForEver).GetAwaiter().GetResult();
                break;
            case 1:
                cache.Set(NameOf(key), new ReadOnlySequence<byte>(value), BytesCache.ForEver);
                break;
            default:
                cache.Set(NameOf(key), value, BytesCache.ForEver);
                break;
        }
    }

    protected override void Remove(int key) => cache.Remove(NameOf(key));

    protected override long Read(int key) => NumberOf(key, key % 2 == 0 ? cache.Get(NameOf(key)) : cache.GetAsync(NameOf(key)).GetAwaiter().GetResult());

    protected override Task<bool> CheckpointAsync(CancellationToken cancellationToken) => cache.Tiers.CheckpointAsync(cancellationToken);

    public override LogDevice Device => cache.Tiers.Device!;

    public override void Dispose() => cache.Dispose();

    protected override int OpenCopy(string directory, Action<Func<int, long>> read)
    {
        var log = new CollectingLoggerFactory();
        using var copy = Open(directory, log);
        read(key => NumberOf(key, copy.Get(NameOf(key))));
        return log.Warnings.Count;
    }

    private static bool IsMarker(int key) => key % 3 == 0;

    private static string NameOf(int key) => IsMarker(key) ? $"__MSFT_HCT__{key}" : $"key {key}";

    private static long NumberOf(int key, byte[]? value)
    {
        if (value is null) return 0;
        return BytesValue.Judge(NameOf(key), value, out _, out long number) is { } wrong ? throw new InvalidDataException(wrong) : number;
    }
}
