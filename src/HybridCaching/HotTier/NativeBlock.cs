using System.Runtime.InteropServices;

namespace HybridCaching.HotTier;

/// <summary>A block of memory outside the GC heap, on huge pages where the system has them: random access over tens of megabytes otherwise waits for page tables.</summary>
internal sealed unsafe partial class NativeBlock
{
    private const nuint CacheLine = 64;
    private const nuint HugePage = 2 << 20;
    private const int MadviseHugePage = 14;

    /// <param name="bytes">Its size.</param>
    /// <param name="isCleared">Whether it begins with zeros. Otherwise it is not touched: memory that is never used is never taken.</param>
    public NativeBlock(nuint bytes, bool isCleared)
    {
        bool isLarge = bytes >= 2 * HugePage;
        Start = (byte*)NativeMemory.AlignedAlloc(Math.Max(bytes, 1), isLarge ? HugePage : CacheLine);
        if (isLarge && OperatingSystem.IsLinux()) AskForHugePages(bytes);
        if (isCleared) NativeMemory.Clear(Start, bytes);
    }

    /// <summary>Freed when nobody can be using it any more: whoever does holds a reference to this object.</summary>
    ~NativeBlock() => NativeMemory.AlignedFree(Start);

    public byte* Start { get; }

    private void AskForHugePages(nuint bytes)
    {
        try
        {
            _ = Madvise(Start, bytes, MadviseHugePage); // only advice: where it is refused, pages are small
        }
        catch (Exception e) when (e is EntryPointNotFoundException or DllNotFoundException)
        {
            // Another C library: small pages, too.
        }
    }

    [LibraryImport("libc", EntryPoint = "madvise")]
    private static partial int Madvise(void* start, nuint length, int advice);
}
