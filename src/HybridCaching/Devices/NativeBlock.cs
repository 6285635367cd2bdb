using System.Runtime.InteropServices;

namespace HybridCaching.Devices;

/// <summary>A block of memory outside the GC heap. A large one is on huge pages where the system has them, and comes from the system and goes back there by itself: nothing of it is in memory before it is used, nothing is left of it.</summary>
internal sealed unsafe class NativeBlock
{
    private const nuint CacheLine = 64;

    private readonly nuint _bytes;
    private readonly bool _isLarge;
    private readonly bool _isMapped;

    /// <param name="bytes">Its size.</param>
    /// <param name="isCleared">Whether it begins with zeros, all of it in use. Otherwise it is not touched: memory that is never used is never taken.</param>
    /// <param name="alignment">Of what power of two its address is a multiple, at least.</param>
    public NativeBlock(nuint bytes, bool isCleared, nuint alignment = CacheLine)
    {
        _bytes = bytes;
        _isLarge = bytes >= 2 * VirtualMemory.HugePageBytes;
        if (_isLarge) Start = VirtualMemory.TryMap(bytes, VirtualMemory.HugePageBytes);
        _isMapped = Start is not null;
        if (!_isMapped) Start = (byte*)NativeMemory.AlignedAlloc(Math.Max(bytes, 1), alignment);
        if (isCleared)
        {
            Use(0, bytes);
            NativeMemory.Clear(Start, bytes);
        }
        else if (_isLarge)
        {
            VirtualMemory.UseSmallPages(Start, bytes);
        }
    }

    /// <summary>Freed when nobody can be using it any more: whoever does holds a reference to this object.</summary>
    ~NativeBlock()
    {
        if (_isMapped) VirtualMemory.Unmap(Start, _bytes);
        else NativeMemory.AlignedFree(Start);
    }

    public byte* Start { get; }

    /// <summary>A part is used from now on, all of it: it may be on huge pages, which take what they cover as soon as one byte of it is touched. Side by side, parts share them only where they meet between two pages.</summary>
    public void Use(nuint offset, nuint bytes)
    {
        if (_isLarge) VirtualMemory.UseHugePages(Start + offset, bytes);
    }

    /// <summary>Gives the memory of a part back to the system, as far as it is whole pages and the system can: what was there is lost, the addresses stay.</summary>
    public void Discard(nuint offset, nuint bytes)
    {
        if (_isLarge) VirtualMemory.UseSmallPages(Start + offset, bytes);
        VirtualMemory.Discard(Start + offset, bytes);
    }

    /// <summary>The same for all that is behind a place.</summary>
    public void DiscardFrom(nuint offset) => Discard(offset, _bytes - offset);
}
