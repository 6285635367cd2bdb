using System.Text;
using HybridCaching.Records;

namespace HybridCaching.Tests.Records;

public sealed class ChecksumTests
{
    /// <summary>The check value of CRC-32C, and the vectors of RFC 3720, appendix B.4.</summary>
    [Fact]
    public void Of_PublishedVectors_Agree()
    {
        Assert.Equal(0xE306_9283, Checksum.Of(Encoding.ASCII.GetBytes("123456789")));
        Assert.Equal(0x8A91_36AAU, Checksum.Of(new byte[32]));
        Assert.Equal(0x62A8_AB43U, Checksum.Of(Enumerable.Repeat((byte)0xFF, 32).ToArray()));
        Assert.Equal(0x46DD_794EU, Checksum.Of(Enumerable.Range(0, 32).Select(i => (byte)i).ToArray()));
    }

    [Fact]
    public void Append_AnySize_EqualsTheSumOverItsBytes()
    {
        var random = new Random(1);
        byte[] bytes = new byte[13];
        random.NextBytes(bytes);
        var value = System.Runtime.InteropServices.MemoryMarshal.Read<Thirteen>(bytes);

        Assert.Equal(Checksum.Of(bytes), ~Checksum.Append(uint.MaxValue, in value));
    }

    [System.Runtime.CompilerServices.InlineArray(13)]
    private struct Thirteen
    {
        private byte _first;
    }
}
