using System.Diagnostics.CodeAnalysis;
using System.Numerics;
using System.Reflection;
using System.Runtime.CompilerServices;
using FASTER.core;
using HybridCaching.Devices;

namespace HybridCaching.Store;

/// <summary>The pages of FASTER's log, read where they lie in memory. The layout is that of FASTER 2.6.5 (BlittableAllocator.cs, VarLenBlittableAllocator.cs).</summary>
internal sealed unsafe class LogPages
{
    private const BindingFlags Fields = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;

    private readonly byte** _pages;
    private readonly Func<byte[]?> _takeSpare;
    private readonly Action<long, long, long, long> _reset;
    private readonly Func<long> _flushedUntil;
    private readonly int _pageShift;
    private readonly long _pageMask;
    private readonly long _ringMask;

    /// <param name="store">A store with unmanaged key and value.</param>
    /// <param name="pageBytes">Bytes of a page.</param>
    /// <param name="ringPages">Slots of the ring of pages.</param>
    /// <exception cref="NotSupportedException">This is not the FASTER whose memory we know.</exception>
    [DynamicDependency("hlog", typeof(FasterKV<,>))]
    [DynamicDependency("nativePointers", "FASTER.core.BlittableAllocator`2", "FASTER.core")]
    [DynamicDependency("nativePointers", "FASTER.core.VariableLengthBlittableAllocator`2", "FASTER.core")]
    [DynamicDependency("FlushedUntilAddress", "FASTER.core.AllocatorBase`2", "FASTER.core")]
    [DynamicDependency("RecoveryReset", "FASTER.core.AllocatorBase`2", "FASTER.core")]
    [DynamicDependency("overflowPagePool", "FASTER.core.BlittableAllocator`2", "FASTER.core")]
    [DynamicDependency("overflowPagePool", "FASTER.core.VariableLengthBlittableAllocator`2", "FASTER.core")]
    [DynamicDependency("size", "FASTER.core.OverflowPool`1", "FASTER.core")]
    [DynamicDependency("TryGet", "FASTER.core.OverflowPool`1", "FASTER.core")]
    [DynamicDependency("value", "FASTER.core.PageUnit", "FASTER.core")]
    [UnconditionalSuppressMessage("Trimming", "IL2065", Justification = "The dependencies above keep the field.")]
    [UnconditionalSuppressMessage("Trimming", "IL2075", Justification = "The dependencies above keep the fields.")]
    public LogPages(FasterBase store, int pageBytes, int ringPages)
    {
        try
        {
            object log = store.GetType().GetField("hlog", Fields)!.GetValue(store)!;
            _reset = log.GetType().GetMethod("RecoveryReset")!.CreateDelegate<Action<long, long, long, long>>(log);
            var flushedUntil = log.GetType().GetField("FlushedUntilAddress")!;
            _flushedUntil = () => (long)flushedUntil.GetValue(log)!;
            _pages = (byte**)Pointer.Unbox(log.GetType().GetField("nativePointers", Fields)!.GetValue(log)!);
            object pool = log.GetType().GetField("overflowPagePool", Fields)!.GetValue(log)!;
            pool.GetType().GetField("size", Fields)!.SetValue(pool, ringPages); // FASTER keeps four: in a storm more pages leave at once, and each beyond is a pinned array for the garbage collector while a new one is allocated
            var tryGet = pool.GetType().GetMethod("TryGet")!;
            var bytesOfPage = pool.GetType().GetGenericArguments()[0].GetField("value", Fields)!;
            _takeSpare = () =>
            {
                object?[] page = [null];
                return (bool)tryGet.Invoke(pool, page)! ? (byte[])bytesOfPage.GetValue(page[0])! : null;
            };
        }
        catch (Exception e) when (e is NullReferenceException or InvalidCastException or ArgumentException)
        {
            throw new NotSupportedException($"HybridCaching needs Microsoft.FASTER.Core 2.6.5; {typeof(FasterBase).Assembly.FullName} keeps its pages in another way.", e);
        }

        _pageShift = BitOperations.Log2((uint)pageBytes);
        _pageMask = pageBytes - 1;
        _ringMask = ringPages - 1;
    }

    /// <summary>Leaves the spare pages to the garbage collector, and what they take of memory to the system: it may be long until they are collected, and longer until what is free is given back.</summary>
    public void DropSpare()
    {
        while (_takeSpare() is { } page)
        {
            fixed (byte* start = page) VirtualMemory.Discard(start, (nuint)page.Length);
        }
    }

    /// <summary>The writes of what is before have ended. Not for hot paths.</summary>
    public long FlushedUntilAddress => _flushedUntil();

    /// <summary>Has an empty log begin at an address, the first of a page.</summary>
    public void BeginAt(long address) => _reset(address, address, address, address);

    /// <summary>The record at an address that is in memory. Inside the epoch only, which keeps the page where it is.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public RecordInfo* RecordAt(long address) => (RecordInfo*)(_pages[(address >> _pageShift) & _ringMask] + (address & _pageMask));
}
