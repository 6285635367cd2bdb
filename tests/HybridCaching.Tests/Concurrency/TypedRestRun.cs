using HybridCaching.Devices;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Concurrency;

/// <summary>A <see cref="RestRun"/> of a typed cache.</summary>
internal sealed class TypedRestRun(FasterCache<long, Quint> cache, string directory) : RestRun(Path.Combine(directory, Name), keys: 600, writers: 3)
{
    private const string Name = "quints";

    public static FasterCache<long, Quint> Open(string directory, CollectingLoggerFactory? log = null, TimeSpan? diskTimeout = null) => new(
        new FasterCacheOptions { Directory = directory, Name = Name, MemoryBudget = "12MB", DiskBudget = "256MB", DiskTimeout = diskTimeout ?? Until.Deadline }, log);

    protected override void Set(int key, int writer, long number, Random random)
    {
        var value = Quint.Of(key, writer, number);
        switch (random.Next(6))
        {
            case 0:
                cache.Remove(key);
                if (!cache.TryAdd(key, value)) throw new InvalidOperationException("there is still something");
                break;
            case 1:
                cache.SetAsync(key, value).AsTask().GetAwaiter().GetResult();
                break;
            case 2:
                cache.AddOrUpdate(key, _ => value, (_, _) => value);
                break;
            case 3:
                cache.SetMany([key], [value]);
                break;
            default:
                cache.Set(key, value);
                break;
        }
    }

    protected override void Remove(int key) => cache.Remove(key);

    protected override long Read(int key) => NumberOf(key, key % 2 == 0 ? cache.GetAsync(key).AsTask().GetAwaiter().GetResult() : cache.TryGet(key, out var value) ? value : null);

    protected override Task<bool> CheckpointAsync(CancellationToken cancellationToken) => cache.Tiers.CheckpointAsync(cancellationToken);

    public override LogDevice Device => cache.Tiers.Device!;

    public override void Dispose() => cache.Dispose();

    protected override int OpenCopy(string directory, Action<Func<int, long>> read)
    {
        var log = new CollectingLoggerFactory();
        using var copy = Open(directory, log);
        read(key => NumberOf(key, copy.TryGet(key, out var value) ? value : null));
        return log.Warnings.Count;
    }

    private static long NumberOf(int key, Quint? value)
    {
        if (value is not { } found) return 0;
        return found.IsWhole && found.Key == key ? found.Sequence : throw new InvalidDataException($"{found} under {key}");
    }
}
