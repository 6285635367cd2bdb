using System.Runtime.InteropServices;
using HybridCaching.Store;

namespace HybridCaching.Tests.Store;

public sealed class BytesRecordTests
{
    /// <summary>The bit of FASTER's header that says a record is one.</summary>
    private const ulong Valid = 1UL << 56;

    private readonly byte[] _page = new byte[512];

    [Theory]
    [InlineData(1, 0)]
    [InlineData(1, 20)]
    [InlineData(21, 120)]
    [InlineData(100, 36)]
    public void TryRead_Whole_GivesKeyAndPayload(int keyBytes, int payloadBytes)
    {
        Put(keyBytes, payloadBytes);
        Assert.True(BytesRecord.TryRead(_page, out var record));
        Assert.Equal((keyBytes, payloadBytes, BytesRecord.BytesFor(keyBytes, payloadBytes)), (record.Key.Length, record.Payload.Length, record.Bytes));
    }

    [Fact]
    public void TryRead_CutAnywhere_Fails()
    {
        Put(21, 120);
        int bytes = BytesRecord.BytesFor(21, 120);
        for (int length = 0; length < bytes; length++) Assert.False(BytesRecord.TryRead(_page.AsSpan(0, length), out _), $"{length} of {bytes} bytes");
    }

    [Fact]
    public void BytesNeeded_CutAnywhere_EndsAtTheWhole()
    {
        Put(21, 120);
        int have = BytesRecord.SmallestBytes;
        for (int needed; (needed = BytesRecord.BytesNeeded(_page.AsSpan(0, have))) > have;) have = needed;
        Assert.Equal(BytesRecord.BytesFor(21, 120), have);
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(0)]
    [InlineData(int.MaxValue)]
    public void TryRead_SenselessLengths_Fails(int length)
    {
        Put(21, 120);
        MemoryMarshal.Write(_page.AsSpan(8), length);
        Assert.False(BytesRecord.TryRead(_page, out _));
        Put(21, 120);
        if (length == 0) return;
        MemoryMarshal.Write(_page.AsSpan(BytesRecord.PayloadOffset(21) - 4), length);
        Assert.False(BytesRecord.TryRead(_page, out _));
    }

    [Fact]
    public void Gap_Zeros_ReachesToTheNextRecord()
    {
        _page[80] = 1;
        Assert.Equal(80, BytesRecord.Gap(_page));
    }

    [Fact]
    public void Gap_NothingButZeros_IsTheRest() => Assert.Equal(_page.Length, BytesRecord.Gap(_page));

    /// <summary>FASTER notes behind an empty header how many bytes it has given up.</summary>
    [Fact]
    public void Gap_GivenUpPlace_IsAsLongAsItSays()
    {
        MemoryMarshal.Write(_page.AsSpan(8), 168);
        Assert.Equal(168, BytesRecord.Gap(_page));
    }

    [Fact]
    public void Gap_Record_MakesNoSense()
    {
        Put(21, 120);
        Assert.Equal(0, BytesRecord.Gap(_page));
    }

    private void Put(int keyBytes, int payloadBytes)
    {
        MemoryMarshal.Write(_page, Valid);
        MemoryMarshal.Write(_page.AsSpan(8), keyBytes);
        MemoryMarshal.Write(_page.AsSpan(BytesRecord.PayloadOffset(keyBytes) - 4), payloadBytes);
    }
}
