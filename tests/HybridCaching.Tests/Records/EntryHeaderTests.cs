using HybridCaching.Records;

namespace HybridCaching.Tests.Records;

public sealed class EntryHeaderTests
{
    private static readonly DateTimeOffset Now = new(2026, 5, 4, 3, 2, 1, 7, TimeSpan.Zero);

    public static TheoryData<long, long> LifetimesAndSubMilliseconds { get; } = Combine(
        [1, 2, 999, 1000, 60_000, 86_400_000, (long)TimeSpan.FromDays(3652).TotalMilliseconds],
        [0, 1, 4999, 9999]);

    [Theory]
    [MemberData(nameof(LifetimesAndSubMilliseconds))]
    public void IsExpired_AtTheInstant_IsTrue(long milliseconds, long ticks)
    {
        var stored = Now.AddTicks(ticks);
        ulong deadline = EntryHeader.Deadline(stored, TimeSpan.FromMilliseconds(milliseconds));

        Assert.True(EntryHeader.IsExpired(deadline, stored.AddMilliseconds(milliseconds)));
    }

    [Theory]
    [MemberData(nameof(LifetimesAndSubMilliseconds))]
    public void IsExpired_AMillisecondBefore_IsFalse(long milliseconds, long ticks)
    {
        var stored = Now.AddTicks(ticks);
        ulong deadline = EntryHeader.Deadline(stored, TimeSpan.FromMilliseconds(milliseconds));

        Assert.False(EntryHeader.IsExpired(deadline, stored.AddMilliseconds(milliseconds - 1).AddTicks(-ticks)));
    }

    [Theory]
    [MemberData(nameof(LifetimesAndSubMilliseconds))]
    public void IsExpired_LongAfter_IsTrue(long milliseconds, long ticks)
    {
        ulong deadline = EntryHeader.Deadline(Now.AddTicks(ticks), TimeSpan.FromMilliseconds(milliseconds));

        Assert.True(EntryHeader.IsExpired(deadline, DateTimeOffset.MaxValue));
    }

    [Fact]
    public void IsExpired_WithoutDeadline_IsNever() => Assert.False(EntryHeader.IsExpired(0, DateTimeOffset.MaxValue));

    [Fact]
    public void Deadline_LongestTimeSpan_IsNever() => Assert.False(EntryHeader.HasDeadline(EntryHeader.Deadline(Now, TimeSpan.MaxValue)));

    [Fact]
    public void Deadline_UpToTheEndOfTime_DoesNotOverflow() => Assert.False(EntryHeader.IsExpired(EntryHeader.Deadline(Now, DateTime.MaxValue - Now.UtcDateTime), Now.AddYears(1)));

    [Fact]
    public void Deadline_TenYears_IsKeptExactly()
    {
        ulong deadline = EntryHeader.Deadline(Now, TimeSpan.FromDays(3652));

        Assert.Equal(TimeSpan.FromDays(3652), TimeSpan.FromMilliseconds(deadline) - (Now - DateTimeOffset.UnixEpoch));
    }

    [Fact]
    public void Deadline_ClockOf1970_HasOne() => Assert.True(EntryHeader.HasDeadline(EntryHeader.Deadline(DateTimeOffset.UnixEpoch, TimeSpan.FromMinutes(1))));

    [Fact]
    public void IsExpired_ClockSetForwardFrom1970_IsTrue() =>
        Assert.True(EntryHeader.IsExpired(EntryHeader.Deadline(DateTimeOffset.UnixEpoch, TimeSpan.FromMinutes(1)), Now));

    [Fact]
    public void IsIntact_Sealed_IsTrue()
    {
        var entry = Sealed(7, 8, 9);

        Assert.True(EntryHeader.IsIntact(7L, in entry));
    }

    [Fact]
    public void IsIntact_OtherKey_IsFalse()
    {
        var entry = Sealed(7, 8, 9);

        Assert.False(EntryHeader.IsIntact(6L, in entry));
    }

    [Fact]
    public void IsIntact_Zeros_IsFalse()
    {
        Entry<long> zeros = default;

        Assert.False(EntryHeader.IsIntact(0L, in zeros));
    }

    [Fact]
    public void IsIntact_AnyBitOfHeaderOrValueFlipped_IsFalse()
    {
        for (int bit = 0; bit < 128; bit++)
        {
            var entry = Sealed(7, 8, 9);
            if (bit < 64) entry.Header ^= 1UL << bit;
            else entry.Value ^= 1L << (bit - 64);
            Assert.False(EntryHeader.IsIntact(7L, in entry), $"bit {bit}");
        }
    }

    private static Entry<long> Sealed(long key, long value, ulong deadline)
    {
        Entry<long> entry = default;
        entry.Value = value;
        EntryHeader.Seal(in key, ref entry, deadline);
        return entry;
    }

    private static TheoryData<long, long> Combine(long[] first, long[] second)
    {
        var rows = new TheoryData<long, long>();
        foreach (long a in first)
        {
            foreach (long b in second) rows.Add(a, b);
        }

        return rows;
    }
}
