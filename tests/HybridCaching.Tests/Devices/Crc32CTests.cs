using System.Numerics;
using System.Text;
using HybridCaching.Devices;

namespace HybridCaching.Tests.Devices;

/// <summary>The check value of CRC-32C, and the vectors of RFC 3720, appendix B.4.</summary>
public sealed class Crc32CTests
{
    [Fact]
    public void Of_Digits_IsTheCheckValue() => Assert.Equal(0xE306_9283, Crc32C.Of(Encoding.ASCII.GetBytes("123456789")));

    [Fact]
    public void Of_Zeros_IsAsPublished() => Assert.Equal(0x8A91_36AAU, Crc32C.Of(new byte[32]));

    [Fact]
    public void Of_Ones_IsAsPublished() => Assert.Equal(0x62A8_AB43U, Crc32C.Of(Enumerable.Repeat((byte)0xFF, 32).ToArray()));

    [Fact]
    public void Of_CountingBytes_IsAsPublished() => Assert.Equal(0x46DD_794EU, Crc32C.Of(Enumerable.Range(0, 32).Select(i => (byte)i).ToArray()));

    /// <summary>Long ones are taken through in three runs at once.</summary>
    [Fact]
    public void Of_AnyLength_IsWhatByteAfterByteSays()
    {
        byte[] bytes = new byte[3 * 4096];
        new Random(5).NextBytes(bytes);
        int[] lengths = [0, 1, 7, 8, 4079, 4080, 4081, 4095, 4096, 4097, 8159, 8160, 8161, bytes.Length];

        Assert.All(lengths, length => Assert.Equal(OfEach(bytes.AsSpan(0, length)), Crc32C.Of(bytes.AsSpan(0, length))));
        for (int at = 0; at < 64; at++) Assert.Equal(OfEach(bytes.AsSpan(at, 4096)), Crc32C.Of(bytes.AsSpan(at, 4096)));
    }

    private static uint OfEach(ReadOnlySpan<byte> bytes)
    {
        uint crc = uint.MaxValue;
        foreach (byte b in bytes) crc = BitOperations.Crc32C(crc, b);
        return ~crc;
    }
}
