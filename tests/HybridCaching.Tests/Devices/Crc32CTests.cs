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
}
