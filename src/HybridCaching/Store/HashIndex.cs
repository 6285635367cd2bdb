using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;
using FASTER.core;
using HybridCaching.Configuration;
using HybridCaching.Devices;
using HybridCaching.Diagnostics;

namespace HybridCaching.Store;

/// <summary>FASTER's hash index, read where it lies in memory: where the newest record of a key's chain is.</summary>
/// <remarks>
/// FASTER tells where a record lies only by reading it, through containers, queues and buffers that cost more than the read of a cached block.
/// The layout is that of FASTER 2.6.5 (FASTERBase.cs), the only version the package accepts. A wrong address on the disk would do no harm:
/// blocks are checked against their checksums, keys are compared and entries carry a check word.
/// <code>
/// bucket: 7 entries, 1 link        entry:  63        62      61    48 47      0
/// of 8 bytes each                         ┌─────────┬───────┬────────┬─────────┐
///                                         │tentative│pending│  tag   │ address │
///                                         └─────────┴───────┴────────┴─────────┘
/// </code>
/// The index neither moves nor grows after the log was opened. Who moves entries inside it tells readers by a count; see docs/concurrency.md.
/// </remarks>
internal sealed unsafe class HashIndex
{
    /// <summary>Entries of a bucket.</summary>
    public const int Entries = BucketWords - 1;

    private const BindingFlags Fields = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;
    private const int BucketWords = 8;
    private const int LinkWord = BucketWords - 1;
    private const int TagShift = 48;
    private const int HashTagShift = 50;
    private const ulong AddressMask = (1UL << TagShift) - 1;

    /// <summary>Tag and tentative bit: an entry that is not complete yet matches no tag.</summary>
    private const ulong TagMask = (1UL << 63) | (((1UL << 14) - 1) << TagShift);

    private const int OverflowPageShift = 16;
    private const long OverflowPageMask = (1L << OverflowPageShift) - 1;

    private readonly ulong* _buckets;
    private readonly ulong _bucketMask;
    private readonly nint[] _overflowPages;
    private readonly Action<long> _free;
    private readonly Func<int> _freeBuckets;
    private long _moves;
    private nuint _moving;

    /// <param name="store">A store whose index has its final place: opened, and recovered if it is to be.</param>
    /// <exception cref="NotSupportedException">This is not the FASTER whose memory we know.</exception>
    [DynamicDependency("pointers", typeof(MallocFixedPageSize<>))]
    [DynamicDependency("Free", typeof(MallocFixedPageSize<>))]
    [DynamicDependency("FreeListCount", typeof(MallocFixedPageSize<>))]
    [UnconditionalSuppressMessage("Trimming", "IL2075", Justification = "The dependencies above keep the members.")]
    public HashIndex(FasterBase store)
    {
        try
        {
            var tables = (Array)typeof(FasterBase).GetField("state", Fields)!.GetValue(store)!;
            var tableType = Type.GetType("FASTER.core.InternalHashTable, FASTER.core")!;
            object table = tables.GetValue(0)!;
            _buckets = (ulong*)Pointer.Unbox(tableType.GetField("tableAligned", Fields)!.GetValue(table)!);
            _bucketMask = (ulong)(long)tableType.GetField("size_mask", Fields)!.GetValue(table)!;
            object overflow = typeof(FasterBase).GetField("overflowBucketsAllocator", Fields)!.GetValue(store)!;
            _overflowPages = (nint[])overflow.GetType().GetField("pointers", Fields)!.GetValue(overflow)!;
            _free = overflow.GetType().GetMethod("Free")!.CreateDelegate<Action<long>>(overflow);
            _freeBuckets = overflow.GetType().GetProperty("FreeListCount", Fields)!.GetMethod!.CreateDelegate<Func<int>>(overflow);
        }
        catch (Exception e) when (e is NullReferenceException or InvalidCastException or ArgumentException)
        {
            throw new NotSupportedException($"HybridCaching needs Microsoft.FASTER.Core 2.6.5; {typeof(FasterBase).Assembly.FullName} keeps its index in another way.", e);
        }

        VirtualMemory.UseHugePages(_buckets, (nuint)(Buckets * IndexSizing.BucketBytes));
    }

    /// <summary>How many buckets there are, those of overflow not counted; a power of two.</summary>
    public long Buckets => (long)_bucketMask + 1;

    /// <summary>Goes up whenever entries are moved, and is odd meanwhile. A look-up by FASTER's own means that found nothing counts only if this is even and the same before and after.</summary>
    public long Moves => Volatile.Read(ref _moves);

    /// <summary>The address of the newest record whose key has this hash's bucket and tag; 0 if there is none.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public long NewestInChain(ulong hash) => TryWalk(hash, out long address) ? address : WalkUntilNobodyMoves(hash);

    /// <summary>Asks the processor to fetch the bucket of a key that will be looked up soon.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Prefetch(ulong hash)
    {
        if (Sse.IsSupported) Sse.Prefetch0(BucketOf(hash));
    }

    /// <summary>Where the newest record of a key may be, as far as its first bucket tells; 0 if that does not. Only good for a guess.</summary>
    public long Guess(ulong hash)
    {
        ulong tag = (hash >> HashTagShift) << TagShift;
        ulong* bucket = BucketOf(hash);
        for (int i = 0; i < LinkWord; i++)
        {
            ulong entry = bucket[i];
            if ((entry & TagMask) == tag && entry != 0) return (long)(entry & AddressMask);
        }

        return 0;
    }

    /// <summary>The first bucket of a chain.</summary>
    public ulong* FirstBucket(long index) => _buckets + (index * BucketWords);

    /// <summary>The bucket behind a bucket; null behind the last.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ulong* Next(ulong* bucket)
    {
        long link = LinkOf(bucket);
        return link == 0 ? null : (ulong*)_overflowPages[link >> OverflowPageShift] + ((link & OverflowPageMask) * BucketWords);
    }

    /// <summary>Asks the processor to fetch the bucket behind a bucket, which will be looked at soon.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void PrefetchNext(ulong* bucket)
    {
        if (Sse.IsSupported) Sse.Prefetch0(Next(bucket)); // of no address nothing is fetched
    }

    /// <summary>What FASTER's allocator calls the bucket behind a bucket; 0 behind the last.</summary>
    public static long LinkOf(ulong* bucket) => (long)(Volatile.Read(ref bucket[LinkWord]) & AddressMask);

    /// <summary>Whether an entry leads to a record that was not dropped.</summary>
    public static bool IsLive(ulong entry, long beginAddress) => entry != 0 && (long)(entry & AddressMask) >= beginAddress;

    /// <summary>How many overflow buckets FASTER has been given back and has not used again.</summary>
    public int FreeBuckets => _freeBuckets();

    /// <summary>Takes the bucket behind this one off the chain. Between <see cref="BeginMove"/> and <see cref="EndMove"/>.</summary>
    /// <returns>What FASTER's allocator calls it.</returns>
    public static long CutNext(ulong* bucket)
    {
        long link = LinkOf(bucket);
        Volatile.Write(ref bucket[LinkWord], bucket[LinkWord] & ~AddressMask);
        return link;
    }

    /// <summary>Gives the memory of the first two pages of overflow buckets back to the system, which gives it again, as empty as it is now, bucket by bucket as they come into use. Only before the first entry.</summary>
    public void DiscardFirstPages()
    {
        const nuint Bytes = IndexSizing.OverflowPageBuckets * IndexSizing.BucketBytes;
        foreach (nint page in _overflowPages.AsSpan(0, 2))
        {
            VirtualMemory.UseSmallPages((void*)page, Bytes); // an index of another cache may have been there, on huge pages
            VirtualMemory.Discard((void*)page, Bytes);
        }
    }

    /// <summary>Gives an overflow bucket that is on no chain back to FASTER.</summary>
    public void Free(long link) => _free(link);

    /// <summary>From now on readers do not believe what they see of the chain. One caller at a time, who keeps writers of its keys out.</summary>
    public void BeginMove(ulong* first)
    {
        Volatile.Write(ref _moving, (nuint)first);
        Interlocked.Increment(ref _moves);
    }

    /// <summary>Ends what <see cref="BeginMove"/> began.</summary>
    public void EndMove() => Volatile.Write(ref _moves, _moves + 1);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private long WalkUntilNobodyMoves(ulong hash)
    {
        BusyWait wait = default;
        while (true)
        {
            wait.Once();
            if (TryWalk(hash, out long address)) return address;
        }
    }

    /// <summary>Walks the chain; false if it is being moved, or something was moved meanwhile.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryWalk(ulong hash, out long address)
    {
        address = 0;
        long moves = Volatile.Read(ref _moves);
        if ((moves & 1) != 0 && Volatile.Read(ref _moving) == (nuint)BucketOf(hash)) return false;
        address = Walk(hash);
        Volatile.ReadBarrier(); // the walk is over before the count is looked at again
        return _moves == moves;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ulong* BucketOf(ulong hash) => _buckets + ((hash & _bucketMask) * BucketWords);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private long Walk(ulong hash)
    {
        ulong tag = (hash >> HashTagShift) << TagShift;
        ulong* bucket = BucketOf(hash);
        while (true)
        {
            for (int i = 0; i < LinkWord; i++)
            {
                ulong entry = Volatile.Read(ref bucket[i]);
                if ((entry & TagMask) == tag && entry != 0) return (long)(entry & AddressMask);
            }

            bucket = Next(bucket);
            if (bucket == null) return 0;
        }
    }
}
