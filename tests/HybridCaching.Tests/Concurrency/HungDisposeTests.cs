using System.Runtime.CompilerServices;
using HybridCaching.Devices;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Concurrency;

/// <summary>A call still waited for the disk when the cache was disposed; then the disk comes back.</summary>
public sealed class HungDisposeTests : IDisposable
{
    private readonly TestDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public void Open_Folder_IsHadOnceTheDiskIsBack()
    {
        LeaveBehind();

        using var again = StampCache.Open(_directory.Path, change: o => o.DiskBudget = "64MB");

        Until.True(() => again.GetStatistics().DiskUnavailableReason is null, "the folder is had");
    }

    [Fact]
    public void Dispose_Memory_IsCollectedOnceTheDiskIsBack()
    {
        var left = LeaveBehind();

        Until.True(
            () =>
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
                return !left.IsAlive;
            },
            "the cache is collected");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private WeakReference LeaveBehind()
    {
        var cache = ColdCache.Open(_directory.Path, TimeSpan.FromMilliseconds(100));
        using var gate = new DiskGate(cache.Tiers.Device!, IoKind.Read);
        gate.Close();
        cache.TryGet(3_000, out _);
        gate.AwaitHeld();
        cache.Dispose();
        gate.Open();
        return new WeakReference(cache.Tiers);
    }
}
