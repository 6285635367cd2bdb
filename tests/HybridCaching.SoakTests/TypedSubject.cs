using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace HybridCaching.SoakTests;

/// <summary>The typed cache; all its values have one size.</summary>
internal sealed class TypedSubject(SoakPlan plan, string directory, TimeProvider clock) : ISubject
{
    private readonly FasterCache<long, Kilobyte> _cache = new(new FasterCacheOptions
    {
        Name = plan.Name,
        Directory = directory,
        MemoryBudget = plan.MemoryBudget,
        DiskBudget = plan.DiskBudget,
        TimeProvider = clock,
        WhenDirectoryUnavailable = DirectoryUnavailable.Throw,
    });

    public (int Least, int Most) ValueBytes => (Unsafe.SizeOf<Kilobyte>(), Unsafe.SizeOf<Kilobyte>());

    public CacheStatistics Statistics => _cache.GetStatistics();

    public MemoryUsage Memory => _cache.GetMemoryUsage();

    public int Get(int key, Span<byte> destination)
    {
        if (!_cache.TryGet(key, out Unsafe.As<byte, Kilobyte>(ref MemoryMarshal.GetReference(destination[..Unsafe.SizeOf<Kilobyte>()])))) return -1;
        return Unsafe.SizeOf<Kilobyte>();
    }

    public void Set(int key, byte[] buffer, int length, TimeSpan? lifetime) => _cache.Set(key, in Unsafe.As<byte, Kilobyte>(ref buffer.AsSpan(0, length)[0]), lifetime);

    public void Remove(int key) => _cache.Remove(key);

    public void Dispose() => _cache.Dispose();

    [InlineArray(Words)]
    private struct Kilobyte
    {
        private const int Words = 128;

        private long _first;
    }
}
