using FASTER.core;
using HybridCaching.Configuration;
using HybridCaching.Devices;
using HybridCaching.Store;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Store;

/// <summary>Buckets of a real store, whose keys are their own hashes.</summary>
public sealed unsafe class HashIndexTests : IDisposable
{
    private const int Buckets = 64;
    private const int Keys = 4_000;

    /// <summary>FASTER never uses the first 16.</summary>
    private const int FirstOverflowBucket = 16;

    private readonly NullDevice _device = new();
    private readonly FasterKV<long, long> _store;
    private readonly ClientSession<long, long, long, long, Empty, SimpleFunctions<long, long>> _session;
    private readonly HashIndex _index;

    public HashIndexTests()
    {
        _store = new FasterKV<long, long>(new FasterKVSettings<long, long> { LogDevice = _device, IndexSize = Buckets * 64, EqualityComparer = new OwnHash() });
        _session = _store.For(new SimpleFunctions<long, long>()).NewSession<SimpleFunctions<long, long>>();
        _index = new HashIndex(_store);
    }

    [Fact]
    public void Buckets_Opened_IsTheirNumber() => Assert.Equal(Buckets, _index.Buckets);

    [Fact]
    public void NewestInChain_EveryKeySet_IsNotZero()
    {
        Set(0, Keys);
        Assert.DoesNotContain(Enumerable.Range(0, Keys), number => _index.NewestInChain((ulong)KeyOf(number)) == 0);
    }

    [Fact]
    public void NewestInChain_NothingSet_IsZero() => Assert.Equal(0, _index.NewestInChain(5));

    [Fact]
    public void DiscardFirstPages_BeforeTheFirstEntry_LeavesOnlyWhatIsUsed() => AssertOnlyWhatIsUsedIsResident();

    /// <summary>The garbage collector gives the memory of an earlier index away, on huge pages as that was.</summary>
    [Fact]
    public void DiscardFirstPages_OnHugePages_LeavesOnlyWhatIsUsed()
    {
        foreach (nint page in FirstOverflowPages())
        {
            nint start = page / VirtualMemory.HugePageBytes * VirtualMemory.HugePageBytes;
            VirtualMemory.UseHugePages((void*)start, (nuint)(IndexSizing.OverflowPageBuckets * IndexSizing.BucketBytes) + VirtualMemory.HugePageBytes);
        }

        AssertOnlyWhatIsUsedIsResident();
    }

    /// <summary>An entry that is taken out and put in somewhere else is never missed by those who look for it.</summary>
    [Fact]
    public void NewestInChain_EntryBeingMoved_IsNeverMissed()
    {
        Set(0, 1);
        ulong* bucket = _index.FirstBucket(0);
        int missed = 0;
        bool isOver = false;
        Crew.Run(
            () =>
            {
                for (int i = 0; i < 20_000; i++)
                {
                    _index.BeginMove(bucket);
                    ulong entry = bucket[i & 1];
                    Volatile.Write(ref bucket[i & 1], 0);
                    Thread.SpinWait(10);
                    Volatile.Write(ref bucket[(i + 1) & 1], entry);
                    _index.EndMove();
                }

                Volatile.Write(ref isOver, true);
            },
            () =>
            {
                while (!Volatile.Read(ref isOver))
                {
                    if (_index.NewestInChain(0) == 0) missed++;
                }
            });
        Assert.Equal(0, missed);
    }

    [Fact]
    public void NewestInChain_OtherChainBeingMoved_DoesNotWait()
    {
        Set(0, 2);
        _index.BeginMove(_index.FirstBucket(0));
        Assert.NotEqual(0, _index.NewestInChain((ulong)KeyOf(1)));
        _index.EndMove();
    }

    [Fact]
    public void Compact_HalfOfTheRecordsDropped_KeepsTheOthers()
    {
        long middle = CompactWithHalfDropped();

        Assert.DoesNotContain(Enumerable.Range(Keys / 2, Keys / 2), number => _index.NewestInChain((ulong)KeyOf(number)) < middle);
    }

    [Fact]
    public void Compact_HalfOfTheRecordsDropped_LeavesNoBucketTooMany()
    {
        long middle = CompactWithHalfDropped();

        Assert.All(Enumerable.Range(0, Buckets), number => Assert.Equal((EntriesOf(number, middle) + HashIndex.Entries - 1) / HashIndex.Entries, BucketsOf(number)));
    }

    [Fact]
    public void Compact_RecordsDropped_LetsOthersHaveTheBuckets()
    {
        Set(0, Keys);
        long used = _store.OverflowBucketCount;
        _store.Log.ShiftBeginAddress(_store.Log.TailAddress);

        Compact(_store.Log.TailAddress);
        Set(Keys, 2 * Keys);

        Assert.InRange(_store.OverflowBucketCount, used, used);
    }

    [Fact]
    public void Compact_EnoughBucketsFree_LeavesTheOtherChains()
    {
        Set(0, Keys);

        Compact(_store.Log.TailAddress, enough: 100);

        Assert.InRange(_index.FreeBuckets, 100, 100 + (16 * Keys / Buckets / HashIndex.Entries));
        Assert.NotEqual(1, BucketsOf(Buckets - 1));
    }

    /// <summary>Chains of more buckets than are cut off at once.</summary>
    [Fact]
    public void Compact_LongChain_IsShortenedBitByBit()
    {
        for (int number = 0; number < 500; number++) Set(number * Buckets, (number * Buckets) + 1);
        int before = BucketsOf(0);

        Compact(_store.Log.TailAddress);
        int once = BucketsOf(0);
        Compact(_store.Log.TailAddress);
        Compact(_store.Log.TailAddress);

        Assert.InRange(once, 2, before - 1);
        Assert.Equal(1, BucketsOf(0));
    }

    [Fact]
    public void FreeBuckets_ChainsCut_IsTheirNumber()
    {
        Set(0, Keys);
        int chained = Enumerable.Range(0, Buckets).Sum(number => BucketsOf(number) - 1);

        Compact(_store.Log.TailAddress);

        Assert.Equal(chained, _index.FreeBuckets);
    }

    [Fact]
    public void Compact_WriterAtWork_LeavesTheChain()
    {
        Set(0, Keys);
        int before = BucketsOf(0);

        new BucketCompactor(_index).Compact(Buckets, Keys, _store.Log.TailAddress, (_, _) => false, (_, _) => Assert.Fail("nothing was locked"));

        Assert.Equal(before, BucketsOf(0));
    }

    [Fact]
    public void Compact_AnyChain_LocksAndUnlocksItsKeys()
    {
        Set(0, Keys);
        var locked = new List<ulong>();
        var unlocked = new List<ulong>();

        new BucketCompactor(_index).Compact(
            Buckets,
            Keys,
            _store.Log.TailAddress,
            (hash, mask) =>
            {
                Assert.Equal((ulong)Buckets - 1, mask);
                locked.Add(hash);
                return true;
            },
            (hash, _) => unlocked.Add(hash));

        Assert.Equal(Enumerable.Range(0, Buckets).Select(number => (ulong)number), locked);
        Assert.Equal(locked, unlocked);
    }

    /// <summary>What a recovered index looks like: buckets that were free when it was saved.</summary>
    [Fact]
    public void FreeUnused_ChainsCutOff_LetsOthersHaveTheBuckets()
    {
        Set(0, Keys);
        long used = _store.OverflowBucketCount;
        for (int number = 0; number < Buckets; number++) _index.FirstBucket(number)[HashIndex.Entries] = 0;

        new BucketCompactor(_index).FreeUnused(FirstOverflowBucket, used);
        Set(Keys, (2 * Keys) - (Buckets * HashIndex.Entries));

        Assert.Equal(used, _store.OverflowBucketCount);
    }

    [Fact]
    public void FreeUnused_EverythingInUse_FreesNothing()
    {
        Set(0, Keys);
        new BucketCompactor(_index).FreeUnused(FirstOverflowBucket, _store.OverflowBucketCount);
        Set(Keys, 2 * Keys);

        Assert.DoesNotContain(Enumerable.Range(0, 2 * Keys), number => _index.NewestInChain((ulong)KeyOf(number)) == 0);
    }

    public void Dispose()
    {
        _session.Dispose();
        _store.Dispose();
        _device.Dispose();
    }

    /// <summary>The low bits choose the bucket, the high ones the tag: no two keys share both.</summary>
    private static long KeyOf(int number) => (number % Buckets) + ((long)(number / Buckets) << 50);

    private void AssertOnlyWhatIsUsedIsResident()
    {
        _index.DiscardFirstPages();
        Assert.Equal(0, ResidentOverflowBytes());

        Set(0, Keys);

        Assert.InRange(ResidentOverflowBytes(), (_store.OverflowBucketCount * IndexSizing.BucketBytes) - (2 * Environment.SystemPageSize), IndexSizing.FixedBytes + IndexSizing.OverflowBytesOf(_store.OverflowBucketCount));
        Assert.DoesNotContain(Enumerable.Range(0, Keys), number => _index.NewestInChain((ulong)KeyOf(number)) == 0);
    }

    private IEnumerable<nint> FirstOverflowPages() => PrivateField.Of<nint[]>(_index, "_overflowPages").Take(2);

    /// <summary>What the system says of the first two pages of overflow buckets; the parts of a page at their ends are not counted.</summary>
    private long ResidentOverflowBytes() => FirstOverflowPages().Sum(page => ResidentMemory.In((void*)page, IndexSizing.OverflowPageBuckets * IndexSizing.BucketBytes));

    private void Set(int first, int end)
    {
        for (int number = first; number < end; number++) _session.Upsert(KeyOf(number), number);
    }

    private void Compact(long beginAddress, int enough = Keys) => new BucketCompactor(_index).Compact(Buckets, enough, beginAddress, (_, _) => true, (_, _) => { });

    /// <returns>Where the records begin that were not dropped.</returns>
    private long CompactWithHalfDropped()
    {
        Set(0, Keys / 2);
        long middle = _store.Log.TailAddress;
        Set(Keys / 2, Keys);
        Compact(middle);
        return middle;
    }

    private int BucketsOf(int number)
    {
        int count = 0;
        for (ulong* bucket = _index.FirstBucket(number); bucket != null; bucket = _index.Next(bucket)) count++;
        return count;
    }

    private int EntriesOf(int number, long beginAddress)
    {
        int count = 0;
        for (ulong* bucket = _index.FirstBucket(number); bucket != null; bucket = _index.Next(bucket))
        {
            for (int i = 0; i < HashIndex.Entries; i++) count += HashIndex.IsLive(bucket[i], beginAddress) ? 1 : 0;
        }

        return count;
    }

    private sealed class OwnHash : IFasterEqualityComparer<long>
    {
        public bool Equals(ref long k1, ref long k2) => k1 == k2;

        public long GetHashCode64(ref long k) => k;
    }
}
