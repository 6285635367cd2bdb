using System.Buffers;
using System.Runtime.CompilerServices;
using HybridCaching.Tests.Support;
using Microsoft.Extensions.Caching.Distributed;

namespace HybridCaching.Tests.Distributed;

/// <summary>A hit in memory allocates what it returns and nothing else, and does not wait. Runs alone: others would fill the thread-local memory of shared pools, or empty it.</summary>
[Collection(nameof(RunsAlone))]
public sealed class BytesAllocationTests : IDisposable
{
    private const string Key = "the key of an entry";
    private const string Missing = "the key of no entry";
    private const int Rounds = 5;
    private const int MostCalls = 4_000;
    private const int Large = 100_000;

    /// <summary>So much is copied in one round at most.</summary>
    private const long BytesPerRound = 64 << 20;

    private static readonly DistributedCacheEntryOptions AnHour = new() { AbsoluteExpirationRelativeToNow = TimeSpan.FromHours(1) };
    private static readonly DistributedCacheEntryOptions SlidingHour = new() { SlidingExpiration = TimeSpan.FromHours(1) };

    private readonly TestDirectory _directory = new();
    private readonly FasterDistributedCache _cache;
    private readonly Destination _destination = new(BytesCache.LargestValue);
    private byte[] _value = [];

    public BytesAllocationTests() => _cache = BytesCache.Open(_directory.Path, "32MB");

    /// <summary>Small, a page of memory, and large.</summary>
    public static TheoryData<int> Lengths => [0, 100, 4096, Large];

    /// <summary>Of a large one every Set turns over pages of the log, and whoever writes these to the disk allocates.</summary>
    public static TheoryData<int> LengthsBelowAPage => [0, 100, 4096];

    public void Dispose()
    {
        _cache.Dispose();
        _directory.Dispose();
    }

    [Theory]
    [MemberData(nameof(Lengths))]
    public void TryGet_HitIntoAWriter_AllocatesNothing(int length) => AssertAllocatesNothing(length, static me => me._cache.TryGet(Key, me._destination.Reset()));

    [Theory]
    [MemberData(nameof(Lengths))]
    public void TryGet_HitIntoASpan_AllocatesNothing(int length) => AssertAllocatesNothing(length, static me => me._cache.TryGet(Key, me._destination.Reset().GetSpan(), out _));

    [Theory]
    [MemberData(nameof(Lengths))]
    public void TryGetAsync_HitIntoAWriter_AllocatesNothing(int length) => AssertAllocatesNothing(length, static me =>
    {
        var read = me._cache.TryGetAsync(Key, me._destination.Reset());
        return read.IsCompletedSuccessfully && read.Result;
    });

    [Fact]
    public void TryGetAsync_HitWithAToken_AllocatesNothing()
    {
        using var cancel = new CancellationTokenSource();
        AssertAllocatesNothing(100, me =>
        {
            var read = me._cache.TryGetAsync(Key, me._destination.Reset(), cancel.Token);
            return read.IsCompletedSuccessfully && read.Result;
        });
    }

    [Fact]
    public void TryGet_SlidingHit_AllocatesNothing()
    {
        Set(100, SlidingHour);
        AssertAllocatesNothing(static me => me._cache.TryGet(Key, me._destination.Reset()), 100);
    }

    [Fact]
    public void TryGet_NeverStored_AllocatesNothing() => AssertAllocatesNothing(100, static me => !me._cache.TryGet(Missing, me._destination.Reset()));

    [Fact]
    public void TryGetEntryInfo_Hit_AllocatesNothing() => AssertAllocatesNothing(100, static me => me._cache.TryGetEntryInfo(Key, out _));

    [Fact]
    public void Refresh_SlidingHit_AllocatesNothing()
    {
        Set(100, SlidingHour);
        AssertAllocatesNothing(
            static me =>
            {
                me._cache.Refresh(Key);
                return true;
            },
            100);
    }

    [Theory]
    [MemberData(nameof(Lengths))]
    public void Get_Hit_AllocatesTheArray(int length)
    {
        Set(length, BytesCache.ForEver);
        int calls = CallsFor(length);

        long arrays = length == 0 ? 0 : LeastAllocated(static me => new byte[me._value.Length].Length == me._value.Length, calls);
        Assert.Equal(arrays, LeastAllocated(static me => me._cache.Get(Key)!.Length == me._value.Length, calls));
    }

    [Fact]
    public void Get_NeverStored_AllocatesNothing() => AssertAllocatesNothing(100, static me => me._cache.Get(Missing) is null);

    [Theory]
    [MemberData(nameof(LengthsBelowAPage))]
    public void Set_SameLength_AllocatesNothing(int length) => AssertAllocatesNothing(length, static me =>
    {
        me._cache.Set(Key, me._value, BytesCache.ForEver);
        return true;
    });

    [Theory]
    [MemberData(nameof(LengthsBelowAPage))]
    public void Set_SequenceWithTimeToLive_AllocatesNothing(int length) => AssertAllocatesNothing(length, static me =>
    {
        me._cache.Set(Key, new ReadOnlySequence<byte>(me._value), AnHour);
        return true;
    });

    /// <summary>Every Set appends, and one in some thirty turns over a page of the log: what FASTER allocates for that depends on how fast the disk takes the pages.</summary>
    [Fact]
    public void Set_OtherLengths_AllocatesOnlyWherePagesTurnOver()
    {
        Set(4096, BytesCache.ForEver);
        int allocating = 0;
        for (int turn = 0; turn < MostCalls; turn++)
        {
            var value = new ReadOnlySequence<byte>(_value, 0, 100 + (turn * 7 % 3900));
            long before = GC.GetAllocatedBytesForCurrentThread();
            _cache.Set(Key, value, SlidingHour);
            if (GC.GetAllocatedBytesForCurrentThread() != before) allocating++;
        }

        Assert.InRange(allocating, 0, MostCalls / 10);
    }

    [Fact]
    public void Set_Large_AllocatesNothingOfItsSize()
    {
        Set(Large, BytesCache.ForEver);
        long allocated = LeastAllocated(
            static me =>
            {
                me._cache.Set(Key, me._value, BytesCache.ForEver);
                return true;
            },
            CallsFor(Large));

        Assert.InRange(allocated, 0, CallsFor(Large) * (Large / 50));
    }

    [Theory]
    [MemberData(nameof(LengthsBelowAPage))]
    public void SetAsync_Sequence_AllocatesNothing(int length) =>
        AssertAllocatesNothing(length, static me => me._cache.SetAsync(Key, new ReadOnlySequence<byte>(me._value), BytesCache.ForEver).IsCompletedSuccessfully);

    [Fact]
    public void SetAsync_Array_AllocatesNothing() => AssertAllocatesNothing(100, static me => me._cache.SetAsync(Key, me._value, BytesCache.ForEver).IsCompletedSuccessfully);

    [Theory]
    [MemberData(nameof(Lengths))]
    public async Task AsyncMembers_HitInMemory_CompleteAtOnce(int length)
    {
        Set(length, SlidingHour);
        var token = TestContext.Current.CancellationToken;

        for (int i = 0; i < 100; i++)
        {
            var get = _cache.GetAsync(Key, token);
            Assert.True(get.IsCompletedSuccessfully, "GetAsync");
            var tryGet = _cache.TryGetAsync(Key, _destination.Reset(), token);
            Assert.True(tryGet.IsCompletedSuccessfully, "TryGetAsync");
            Assert.True(_cache.RefreshAsync(Key, token).IsCompletedSuccessfully, "RefreshAsync");
            var many = _cache.GetManyAsync([Key], token);
            Assert.True(many.IsCompletedSuccessfully, "GetManyAsync");

            Assert.Equal(length, (await get)!.Length);
            Assert.True(await tryGet);
            Assert.Equal(length, (await many)[Key].Length);
        }
    }

    private static int CallsFor(int length) => (int)Math.Clamp(BytesPerRound / Math.Max(1, length), 1, MostCalls);

    private void Set(int length, DistributedCacheEntryOptions options)
    {
        _value = BytesValue.Of(Key, 1, length);
        _cache.Set(Key, _value, options);
    }

    private void AssertAllocatesNothing(int length, Func<BytesAllocationTests, bool> call)
    {
        Set(length, BytesCache.ForEver);
        AssertAllocatesNothing(call, length);
    }

    private void AssertAllocatesNothing(Func<BytesAllocationTests, bool> call, int length) => Assert.Equal(0, LeastAllocated(call, CallsFor(length)));

    /// <summary>What a call allocates would show in every round; a session is made the first time a core needs one.</summary>
    private long LeastAllocated(Func<BytesAllocationTests, bool> call, int calls)
    {
        long least = long.MaxValue;
        for (int round = 0; round <= Rounds; round++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            Repeat(call, calls);
            long allocated = GC.GetAllocatedBytesForCurrentThread() - before;
            if (round > 0) least = Math.Min(least, allocated);
        }

        return least;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Repeat(Func<BytesAllocationTests, bool> call, int times)
    {
        for (int i = 0; i < times; i++)
        {
            if (!call(this)) throw new InvalidOperationException("the call had another outcome than expected");
        }
    }

    /// <summary>Memory made beforehand.</summary>
    private sealed class Destination(int length) : IBufferWriter<byte>
    {
        private readonly byte[] _bytes = new byte[length];
        private int _written;

        public Destination Reset()
        {
            _written = 0;
            return this;
        }

        public void Advance(int count) => _written += count;

        public Memory<byte> GetMemory(int sizeHint = 0) => _bytes.AsMemory(_written);

        public Span<byte> GetSpan(int sizeHint = 0) => _bytes.AsSpan(_written);
    }
}
