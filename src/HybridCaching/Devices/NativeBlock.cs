using System.Runtime.InteropServices;

namespace HybridCaching.Devices;

/// <summary>A block of memory outside the GC heap, on huge pages where the system has them.</summary>
internal sealed unsafe class NativeBlock
{
    private const nuint CacheLine = 64;

    /// <param name="bytes">Its size.</param>
    /// <param name="isCleared">Whether it begins with zeros. Otherwise it is not touched: memory that is never used is never taken.</param>
    /// <param name="alignment">Of what power of two its address is a multiple, at least.</param>
    public NativeBlock(nuint bytes, bool isCleared, nuint alignment = CacheLine)
    {
        bool isLarge = bytes >= 2 * VirtualMemory.HugePageBytes;
        Start = (byte*)NativeMemory.AlignedAlloc(Math.Max(bytes, 1), isLarge ? VirtualMemory.HugePageBytes : alignment);
        if (isLarge) VirtualMemory.UseHugePages(Start, bytes);
        if (isCleared) NativeMemory.Clear(Start, bytes);
    }

    /// <summary>Freed when nobody can be using it any more: whoever does holds a reference to this object.</summary>
    ~NativeBlock() => NativeMemory.AlignedFree(Start);

    public byte* Start { get; }

    /// <summary>Gives the memory of a part back to the system, as far as it is whole pages and the system can: what was there is lost, the addresses stay.</summary>
    public void Discard(nuint offset, nuint bytes) => VirtualMemory.Discard(Start + offset, bytes);
}
