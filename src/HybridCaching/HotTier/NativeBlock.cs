using System.Runtime.InteropServices;

namespace HybridCaching.HotTier;

/// <summary>A block of memory outside the GC heap, on huge pages where the system has them: random access over tens of megabytes otherwise waits for page tables.</summary>
internal sealed unsafe partial class NativeBlock
{
    private const nuint CacheLine = 64;
    private const nuint HugePage = 2 << 20;
    private const int MadviseDontNeed = 4;
    private const int MadviseHugePage = 14;

    /// <param name="bytes">Its size.</param>
    /// <param name="isCleared">Whether it begins with zeros. Otherwise it is not touched: memory that is never used is never taken.</param>
    public NativeBlock(nuint bytes, bool isCleared)
    {
        bool isLarge = bytes >= 2 * HugePage;
        Start = (byte*)NativeMemory.AlignedAlloc(Math.Max(bytes, 1), isLarge ? HugePage : CacheLine);
        if (isLarge) Advise(Start, bytes, MadviseHugePage);
        if (isCleared) NativeMemory.Clear(Start, bytes);
    }

    /// <summary>Freed when nobody can be using it any more: whoever does holds a reference to this object.</summary>
    ~NativeBlock() => NativeMemory.AlignedFree(Start);

    public byte* Start { get; }

    /// <summary>Gives the memory of a part back to the system, as far as it is whole pages and the system can: what was there is lost, the addresses stay.</summary>
    public void Discard(nuint offset, nuint bytes)
    {
        nuint page = (nuint)Environment.SystemPageSize;
        nuint first = ((nuint)Start + offset + page - 1) / page * page;
        nuint end = ((nuint)Start + offset + bytes) / page * page;
        if (end > first) Advise((byte*)first, end - first, MadviseDontNeed);
    }

    private static void Advise(byte* start, nuint bytes, int advice)
    {
        if (!OperatingSystem.IsLinux()) return;
        try
        {
            _ = Madvise(start, bytes, advice);
        }
        catch (Exception e) when (e is EntryPointNotFoundException or DllNotFoundException)
        {
            // Another C library: it is only advice.
        }
    }

    [LibraryImport("libc", EntryPoint = "madvise")]
    private static partial int Madvise(void* start, nuint length, int advice);
}
