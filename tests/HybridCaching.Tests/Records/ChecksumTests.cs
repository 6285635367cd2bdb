using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using HybridCaching.Devices;
using HybridCaching.Records;

namespace HybridCaching.Tests.Records;

public sealed class ChecksumTests
{
    [Fact]
    public void Append_ValueOfOddSize_IsTheSumOverItsBytes()
    {
        byte[] bytes = new byte[Unsafe.SizeOf<Thirteen>()];
        new Random(1).NextBytes(bytes);
        var value = MemoryMarshal.Read<Thirteen>(bytes);

        Assert.Equal(Crc32C.Of(bytes), ~Checksum.Append(uint.MaxValue, in value));
    }

    [InlineArray(13)]
    private struct Thirteen
    {
        private byte _first;
    }
}
