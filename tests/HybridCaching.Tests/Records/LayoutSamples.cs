using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

#pragma warning disable CS0169, CS0649, IDE0044, IDE0051, CA1823 // The fields are looked at by reflection only.

namespace HybridCaching.Tests.Records;

/// <summary>Types of all the shapes that a key or value may have.</summary>
internal static class LayoutSamples
{
    public enum Color : short
    {
        Red,
    }

    public struct Dense
    {
        public long A;
        public int B;
        public short C;
        public byte D;
        public byte E;
    }

    public struct GapInside
    {
        public byte Small;
        public long Large;
    }

    public struct GapAtEnd
    {
        public long Large;
        public byte Small;
    }

    public struct NestedGap
    {
        public long Id;
        public GapInside Inner;
    }

    public struct NestedDense
    {
        public long Id;
        public Dense Inner;
    }

    public struct GapBetweenNested
    {
        public Color First;
        public Pair<int> Second;
        public Color Third;
    }

    public struct Pair<T>
        where T : unmanaged
    {
        public T First;
        public T Second;
    }

    [StructLayout(LayoutKind.Sequential, Pack = 1)]
    public struct Packed
    {
        public byte Small;
        public long Large;
    }

    [StructLayout(LayoutKind.Explicit)]
    public struct Union
    {
        [FieldOffset(0)]
        public long Whole;

        [FieldOffset(0)]
        public int Low;

        [FieldOffset(4)]
        public int High;
    }

    [StructLayout(LayoutKind.Explicit, Size = 16)]
    public struct ExplicitGap
    {
        [FieldOffset(0)]
        public int Left;

        [FieldOffset(8)]
        public long Right;
    }

    [StructLayout(LayoutKind.Sequential, Size = 32)]
    public struct Oversized
    {
        public long Only;
    }

    public unsafe struct WithBuffer
    {
        public long Id;
        public fixed byte Name[24];
    }

    public unsafe struct WithOddBuffer
    {
        public long Id;
        public fixed byte Name[21];
    }

    [InlineArray(4)]
    public struct FourDense
    {
        private Dense _first;
    }

    [InlineArray(4)]
    public struct FourGaps
    {
        private GapInside _first;
    }

    [InlineArray(1)]
    public struct OneLong
    {
        private long _first;
    }

    public readonly record struct Coordinates(int X, int Y);

    public readonly record struct Priced(long Id, decimal Amount);

    public readonly record struct Measured(long Id, double Length);

    public readonly record struct Scaled(long Id, float Factor, float Other);

    public readonly record struct Halved(long Id, Half A, Half B, Half C, Half D);

    public readonly record struct Dated(DateTime Day, long Id);

    public readonly record struct WithHandle(long Id, nint Handle);

    public readonly record struct WithNested(long Id, WithHandle Inner);

    public unsafe struct WithPointer
    {
        public long Id;
        public byte* Data;
    }

    public unsafe struct WithFunction
    {
        public long Id;
        public delegate*<int, void> Call;
    }

    public readonly record struct WithNullable(long Id, int? Maybe);

    public readonly record struct BoolAndChar(bool Flag, char Letter);

    public struct Renamed
    {
        public long A;
        public int Other;
        public short C;
        public byte D;
        public byte E;
    }

    public struct Retyped
    {
        public long A;
        public uint B;
        public short C;
        public byte D;
        public byte E;
    }

    [StructLayout(LayoutKind.Explicit)]
    public struct Moved
    {
        [FieldOffset(8)]
        public long A;

        [FieldOffset(0)]
        public int B;

        [FieldOffset(4)]
        public short C;

        [FieldOffset(6)]
        public byte D;

        [FieldOffset(7)]
        public byte E;
    }

    [InlineArray(258)]
    public struct LongOddKey : IEquatable<LongOddKey>
    {
        private byte _first;

        public readonly bool Equals(LongOddKey other) => ((ReadOnlySpan<byte>)this).SequenceEqual(other);

        public override readonly bool Equals(object? obj) => obj is LongOddKey other && Equals(other);

        public override readonly int GetHashCode() => _first;
    }
}
