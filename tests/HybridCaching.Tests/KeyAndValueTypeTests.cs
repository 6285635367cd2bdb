namespace HybridCaching.Tests;

/// <summary>Every kind of key and value goes through the log and back, also those whose size is no multiple of 8.</summary>
public sealed class KeyAndValueTypeTests
{
    [Fact]
    public void RoundTrip_ByteKey_ReturnsTheValue() => RoundTrip<byte, int>(i => (byte)i, i => i, 256);

    [Fact]
    public void RoundTrip_IntKey_ReturnsTheValue() => RoundTrip<int, (int, byte)>(i => i * 7, i => (i, (byte)i), 20_000);

    [Fact]
    public void RoundTrip_GuidKey_ReturnsTheValue() => RoundTrip<Guid, decimal>(i => new Guid(i, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11), i => i / 3m, 20_000);

    [Fact]
    public void RoundTrip_TwelveByteKey_ReturnsTheValue() => RoundTrip<Three, DateTime>(i => new Three(i, -i, 1), i => DateTime.UnixEpoch.AddDays(i), 20_000);

    [Fact]
    public void RoundTrip_TwentyEightByteKey_ReturnsTheValue() => RoundTrip<Seven, bool>(i => new Seven(new Three(1, 2, 3), new Three(4, 5, 6), i), i => i % 3 == 0, 20_000);

    [Fact]
    public void RoundTrip_EnumKey_ReturnsTheValue()
    {
        using var cache = new FasterCache<WeekDay, long>(new FasterCacheOptions { MemoryBudget = "16MB" });
        cache.Set(new WeekDay(DayOfWeek.Friday), 5);

        Assert.True(cache.TryGet(new WeekDay(DayOfWeek.Friday), out long value) && value == 5);
    }

    [Fact]
    public void RoundTrip_LargeValue_ReturnsTheValue() => RoundTrip<long, Large>(i => i, Large.Of, 5_000);

    private static void RoundTrip<TKey, TValue>(Func<int, TKey> key, Func<int, TValue> value, int count)
        where TKey : unmanaged, IEquatable<TKey>
        where TValue : unmanaged, IEquatable<TValue>
    {
        using var directory = new TestDirectory();
        var options = new FasterCacheOptions { Directory = directory.Path, MemoryBudget = "14MB", DiskBudget = "64MB" };
        using (var cache = new FasterCache<TKey, TValue>(options))
        {
            for (int i = 0; i < count; i++) cache.Set(key(i), value(i));
            Check(cache);
        }

        using var reopened = new FasterCache<TKey, TValue>(options);
        Check(reopened);

        void Check(FasterCache<TKey, TValue> cache)
        {
            for (int i = 0; i < count; i++) Assert.True(cache.TryGet(key(i), out var found) && found.Equals(value(i)), $"entry {i}");
        }
    }

    private readonly record struct Three(int A, int B, int C);

    private readonly record struct Seven(Three A, Three B, int C);

    private readonly record struct WeekDay(DayOfWeek Day);

    [System.Runtime.CompilerServices.InlineArray(256)]
    private struct Large : IEquatable<Large>
    {
        private int _element;

        public static Large Of(int seed)
        {
            Large large = default;
            for (int i = 0; i < 256; i++) large[i] = seed + i;
            return large;
        }

        public readonly bool Equals(Large other) => ((ReadOnlySpan<int>)this).SequenceEqual(other);
    }
}
