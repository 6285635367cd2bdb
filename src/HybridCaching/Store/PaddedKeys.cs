using System.Runtime.CompilerServices;

namespace HybridCaching.Store;

/// <summary>Raw keys of fixed sizes. Nothing but bytes, filled up with zeros.</summary>
/// <remarks>
/// FASTER packs records without gaps, so a key whose size is no multiple of 8 would leave every second record misaligned.
/// Such keys are stored in the smallest of these that holds them.
/// </remarks>
internal static class PaddedKeys
{
    [InlineArray(1)]
    public struct Key8
    {
        private ulong _word;
    }

    [InlineArray(2)]
    public struct Key16
    {
        private ulong _word;
    }

    [InlineArray(3)]
    public struct Key24
    {
        private ulong _word;
    }

    [InlineArray(4)]
    public struct Key32
    {
        private ulong _word;
    }

    [InlineArray(8)]
    public struct Key64
    {
        private ulong _word;
    }

    [InlineArray(16)]
    public struct Key128
    {
        private ulong _word;
    }

    [InlineArray(32)]
    public struct Key256
    {
        private ulong _word;
    }
}
