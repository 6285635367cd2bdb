using System.Diagnostics.CodeAnalysis;
using System.Numerics;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;
using FASTER.core;

namespace HybridCaching.Store;

/// <summary>FASTER's hash index and pages, read where they lie in memory: where the newest record of a key's chain is, and what is there.</summary>
/// <remarks>
/// FASTER tells where a record lies only by reading it, through containers, queues and buffers that cost more than the read of a cached block.
/// The layout is that of FASTER 2.6.5 (FASTERBase.cs, BlittableAllocator.cs), the only version the package accepts. A wrong address on the disk would do no harm:
/// blocks are checked against their checksums, keys are compared and entries carry a check word.
/// <code>
/// bucket: 7 entries, 1 link        entry:  63        62      61    48 47      0
/// of 8 bytes each                         ┌─────────┬───────┬────────┬─────────┐
///                                         │tentative│pending│  tag   │ address │
///                                         └─────────┴───────┴────────┴─────────┘
/// </code>
/// Call it inside the epoch only, which keeps the pages where they are. The index neither moves nor grows after the log was opened.
/// </remarks>
internal sealed unsafe class LogMemory
{
    private const BindingFlags Fields = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;
    private const int BucketWords = 8;
    private const int LinkWord = BucketWords - 1;
    private const int TagShift = 48;
    private const int HashTagShift = 50;
    private const ulong AddressMask = (1UL << TagShift) - 1;

    /// <summary>Tag and tentative bit: an entry that is not complete yet matches no tag.</summary>
    private const ulong TagMask = (1UL << 63) | (((1UL << 14) - 1) << TagShift);

    private const int OverflowPageShift = 16;
    private const ulong OverflowPageMask = (1UL << OverflowPageShift) - 1;

    private readonly ulong* _buckets;
    private readonly ulong _bucketMask;
    private readonly nint[] _overflowPages;
    private readonly byte** _pages;
    private readonly int _pageShift;
    private readonly long _pageMask;
    private readonly long _ringMask;

    /// <param name="store">A store whose index has its final place: opened, and recovered if it is to be. Its key and value are unmanaged.</param>
    /// <param name="pageBytes">Bytes of a page.</param>
    /// <param name="ringPages">Slots of the ring of pages.</param>
    /// <exception cref="NotSupportedException">This is not the FASTER whose memory we know.</exception>
    [DynamicDependency("pointers", typeof(MallocFixedPageSize<>))]
    [DynamicDependency("hlog", typeof(FasterKV<,>))]
    [DynamicDependency("nativePointers", "FASTER.core.BlittableAllocator`2", "FASTER.core")]
    [UnconditionalSuppressMessage("Trimming", "IL2075", Justification = "The dependencies above keep the fields.")]
    public LogMemory(FasterBase store, int pageBytes, int ringPages)
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
            object log = store.GetType().GetField("hlog", Fields)!.GetValue(store)!;
            _pages = (byte**)Pointer.Unbox(log.GetType().GetField("nativePointers", Fields)!.GetValue(log)!);
        }
        catch (Exception e) when (e is NullReferenceException or InvalidCastException or ArgumentException)
        {
            throw new NotSupportedException($"HybridCaching needs Microsoft.FASTER.Core 2.6.5; {typeof(FasterBase).Assembly.FullName} keeps its memory in another way.", e);
        }

        _pageShift = BitOperations.Log2((uint)pageBytes);
        _pageMask = pageBytes - 1;
        _ringMask = ringPages - 1;
    }

    /// <summary>The address of the newest record whose key has this hash's bucket and tag; 0 if there is none.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public long NewestInChain(ulong hash)
    {
        ulong tag = (hash >> HashTagShift) << TagShift;
        ulong* bucket = _buckets + ((hash & _bucketMask) * BucketWords);
        while (true)
        {
            for (int i = 0; i < LinkWord; i++)
            {
                ulong entry = Volatile.Read(ref bucket[i]);
                if ((entry & TagMask) == tag && entry != 0) return (long)(entry & AddressMask);
            }

            ulong link = Volatile.Read(ref bucket[LinkWord]) & AddressMask;
            if (link == 0) return 0;
            bucket = (ulong*)_overflowPages[link >> OverflowPageShift] + ((link & OverflowPageMask) * BucketWords);
        }
    }

    /// <summary>Asks the processor to fetch the bucket of a key that will be looked up soon.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Prefetch(ulong hash)
    {
        if (Sse.IsSupported) Sse.Prefetch0(_buckets + ((hash & _bucketMask) * BucketWords));
    }

    /// <summary>The record at an address that is in memory.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public RecordInfo* RecordAt(long address) => (RecordInfo*)(_pages[(address >> _pageShift) & _ringMask] + (address & _pageMask));
}
