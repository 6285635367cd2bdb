using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using HybridCaching.HotTier;
using HybridCaching.Records;
using HybridCaching.Tests.Configuration;

namespace HybridCaching.Tests.HotTier;

/// <summary>Keys and values that are no single word.</summary>
public sealed class HotTableSizeTests
{
    private const ulong Hash = 0xAB00_0000_0000_0000;

    [Fact]
    public void TryRead_KeysOf3Bytes_AreToldApart() => AssertKeysAreToldApart<Bytes3>();

    [Fact]
    public void TryRead_KeysOf12Bytes_AreToldApart() => AssertKeysAreToldApart<(int, int, int)>();

    [Fact]
    public void TryRead_KeysOf16Bytes_AreToldApart() => AssertKeysAreToldApart<UInt128>();

    [Fact]
    public void TryRead_KeysOf40Bytes_AreToldApart() => AssertKeysAreToldApart<Bytes40>();

    [Fact]
    public void TryRead_ValuesOfAKibibyte_AreWhole()
    {
        var table = new HotTable<long, Payload>(rows: 4, ways: 16, maximumWays: 16);
        for (long key = 0; key < 16; key++) table.TryFill(in key, Hash, new Entry<Payload> { Value = Payload.Of(key) }, table.ReadUnlocked(Hash));
        Entry<Payload> entry = default;
        for (long key = 0; key < 16; key++) Assert.True(table.TryRead(in key, Hash, ref entry.Value, out entry.Header, out _) && Payload.IsOf(in entry.Value, key));
    }

    [Fact]
    public void TryRead_ValuesOf3Bytes_AreWhole()
    {
        var table = new HotTable<long, Bytes3>(rows: 4, ways: 16, maximumWays: 16);
        for (byte key = 0; key < 16; key++) table.TryFill(key, Hash, new Entry<Bytes3> { Value = Filled<Bytes3>(key) }, table.ReadUnlocked(Hash));
        Entry<Bytes3> entry = default;
        for (byte key = 0; key < 16; key++) Assert.True(table.TryRead(key, Hash, ref entry.Value, out entry.Header, out _) && BytesOf(ref entry.Value).SequenceEqual([key, key, key]));
    }

    /// <summary>Every key differs from the first in one byte, all have one hash.</summary>
    private static void AssertKeysAreToldApart<TKey>()
        where TKey : unmanaged
    {
        for (int at = 0; at < Unsafe.SizeOf<TKey>(); at++)
        {
            var table = new HotTable<TKey, long>(rows: 4, ways: 2, maximumWays: 2);
            var one = Filled<TKey>(5);
            var other = one;
            BytesOf(ref other)[at] ^= 0x80;
            Entry<long> entry = new() { Value = 1 };
            table.TryFill(in one, Hash, in entry, table.ReadUnlocked(Hash));
            Assert.False(table.TryRead(in other, Hash, ref entry.Value, out entry.Header, out _));
            entry.Value = 2;
            table.TryFill(in other, Hash, in entry, table.ReadUnlocked(Hash));
            Assert.True(table.TryRead(in one, Hash, ref entry.Value, out entry.Header, out _));
            Assert.Equal(1, entry.Value);
            Assert.True(table.TryRead(in other, Hash, ref entry.Value, out entry.Header, out _));
            Assert.Equal(2, entry.Value);
        }
    }

    private static T Filled<T>(byte with)
        where T : unmanaged
    {
        T value = default;
        BytesOf(ref value).Fill(with);
        return value;
    }

    private static Span<byte> BytesOf<T>(ref T value)
        where T : unmanaged => MemoryMarshal.AsBytes(new Span<T>(ref value));

    [InlineArray(3)]
    private struct Bytes3
    {
        private byte _first;
    }

    [InlineArray(40)]
    private struct Bytes40
    {
        private byte _first;
    }
}
