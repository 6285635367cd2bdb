using HybridCaching.Configuration;
using HybridCaching.HotTier;
using HybridCaching.Records;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.HotTier;

public sealed class HotBytesTests
{
    private const int Rows = 256;

    /// <summary>A segment of 32 KiB for each way, where copies of up to a quarter of that fit.</summary>
    private const int SlotBytes = 16 + 128;

    private const int ValueBytes = 1000;
    private const ulong Hash = 0xAB00_0000_0000_0000;

    private readonly HotBytes _hot = new(Rows, ways: 2, maximumWays: 4, SlotBytes);

    [Fact]
    public void TryFind_NeverFilled_IsAMiss() => Assert.Null(Read(1));

    [Fact]
    public void TryFind_Filled_IsTheValue()
    {
        Fill(1, 10);
        Assert.Equal(Value(10), Read(1));
    }

    [Fact]
    public void TryFind_FilledAgain_IsTheNewValue()
    {
        Fill(1, 10);
        Fill(1, 11);
        Assert.Equal(Value(11), Read(1));
    }

    [Fact]
    public void TryFind_OtherKeyWithTheSameHash_IsAMiss()
    {
        Fill(1, 10, Hash);
        Assert.Null(Read(2, Hash));
    }

    [Fact]
    public void TryFind_EmptyValue_IsFound()
    {
        _hot.TryFill(Key(1), Hash, NewHeader(), [], Seen(Hash));
        Assert.True(_hot.TryFind(Key(1), Hash, out var copy, out _) && copy.Length == 0);
    }

    [Fact]
    public void TryFind_RowLocked_IsAMiss()
    {
        Fill(1, 10, Hash);
        _hot.Lock(Hash);
        Assert.False(_hot.TryFind(Key(1), Hash, out _, out _));
    }

    [Fact]
    public void TryCopy_KeyForgottenMeanwhile_Fails()
    {
        Fill(1, 10, Hash);
        Assert.True(_hot.TryFind(Key(1), Hash, out var copy, out _));
        Forget(1, Hash);
        Assert.False(_hot.TryCopy(in copy, new byte[copy.Length]));
    }

    /// <summary>Nobody has changed the row; only the generation of the segment tells.</summary>
    [Fact]
    public void TryCopy_SegmentUsedAnewMeanwhile_Fails()
    {
        Fill(1, 10, Hash);
        Assert.True(_hot.TryFind(Key(1), Hash, out var copy, out _));
        FillOthers(2 * Rows);
        Assert.False(_hot.TryCopy(in copy, new byte[copy.Length]));
    }

    [Fact]
    public void TryFill_ArenaFull_DropsWhatWasNotRead()
    {
        Fill(1, 10, Hash);
        FillOthers(2 * Rows);
        Assert.Null(Read(1, Hash));
    }

    [Fact]
    public void TryFill_ArenaFull_SparesWhatWasRead()
    {
        Fill(1, 10, Hash);
        for (int i = 0; i < 20 * Rows; i++)
        {
            Assert.Equal(Value(10), Read(1, Hash));
            FillOther(i);
        }
    }

    [Fact]
    public void TryFill_ArenaFull_KeepsMemoryBytes()
    {
        long before = _hot.MemoryBytes;
        FillOthers(20 * Rows);
        Assert.Equal(before, _hot.MemoryBytes);
    }

    [Fact]
    public void TryFill_KeyWrittenSinceTheRowWasSeen_IsAMiss()
    {
        ulong seen = Seen(Hash);
        _hot.Lock(Hash);
        _hot.UnlockWritten(Hash);
        _hot.TryFill(Key(1), Hash, NewHeader(), Value(10), seen);
        Assert.Null(Read(1, Hash));
    }

    [Fact]
    public void TryFill_FillsOfTheRowCancelled_IsAMiss()
    {
        ulong seen = Seen(Hash);
        for (int row = 0; row < Rows; row++) _hot.CancelFills(row);
        _hot.TryFill(Key(1), Hash, NewHeader(), Value(10), seen);
        Assert.Null(Read(1, Hash));
    }

    [Fact]
    public void TryFill_LongerThanAQuarterOfASegment_IsAMiss()
    {
        _hot.TryFill(Key(1), Hash, NewHeader(), new byte[(Rows * (SlotBytes - 16) / 4) + 1], Seen(Hash));
        Assert.Null(Read(1, Hash));
    }

    [Fact]
    public void Update_AsLong_IsTheNewValue()
    {
        Fill(1, 10);
        Update(1, Value(20));
        Assert.Equal(Value(20), Read(1));
    }

    /// <summary>Places begin at multiples of sixteen bytes.</summary>
    [Fact]
    public void Update_ShorterInTheSamePlace_IsTheNewValue()
    {
        Fill(1, 10);
        Update(1, Value(20)[..^1]);
        Assert.Equal(Value(20)[..^1], Read(1));
    }

    [Theory]
    [InlineData(-100)]
    [InlineData(100)]
    public void Update_NeedsAnotherPlace_IsAMiss(int more)
    {
        Fill(1, 10);
        Update(1, new byte[ValueBytes + more]);
        Assert.Null(Read(1));
    }

    [Fact]
    public void Update_NeverFilled_IsAMiss()
    {
        Update(1, Value(20));
        Assert.Null(Read(1));
    }

    [Fact]
    public void Update_OtherDeadline_GivesThat()
    {
        Fill(1, 10);
        Update(1, Value(20), new ValueHeader(new Lifetime(77, 0, 0), 0, ValueKind.Whole));
        Assert.True(_hot.TryFind(Key(1), Hash, out var copy, out _));
        Assert.Equal(77, copy.Deadline);
    }

    /// <summary>Its place might be used anew while it is written to.</summary>
    [Fact]
    public void Update_SomebodyElseFills_IsAMiss()
    {
        FillOthers(200); // more than there is room for
        Fill(1, 10);
        (int row, int way, _) = Places().First(static place => place.Key == 1);
        _hot.Lock(Hash);
        var filler = new Thread(() => _hot.TryCopyKey(row, way, out _)); // as who fills, and waits for the row
        filler.Start();
        int other = 1000;
        Until.True(() => !CanNote(other++), "the other one fills");
        _hot.Update(Key(1), Hash, NewHeader(), Value(20));
        _hot.UnlockWritten(Hash);
        Assert.True(filler.Join(Until.Deadline));
        Assert.Null(Read(1));
    }

    [Fact]
    public void TryCopy_KeyUpdatedMeanwhile_Fails()
    {
        Fill(1, 10);
        Assert.True(_hot.TryFind(Key(1), Hash, out var copy, out _));
        Update(1, Value(20));
        Assert.False(_hot.TryCopy(in copy, new byte[copy.Length]));
    }

    [Fact]
    public void Forget_Filled_IsAMiss()
    {
        Fill(1, 10, Hash);
        Forget(1, Hash);
        Assert.Null(Read(1, Hash));
    }

    [Fact]
    public void Renew_Filled_GivesTheNewDeadline()
    {
        Fill(1, 10, Hash);
        _hot.Lock(Hash);
        _hot.Renew(Key(1), Hash, 77);
        _hot.UnlockFilled(Hash);
        Assert.True(_hot.TryFind(Key(1), Hash, out var copy, out _));
        Assert.Equal(77, copy.Deadline);
    }

    [Fact]
    public void GiveUpWay_All_IsEmptyAndTakesNothingButTheDirectory()
    {
        FillOthers(50);
        _hot.GiveUpWay();
        _hot.GiveUpWay();
        for (int i = 0; i < 50; i++) Assert.Null(Read(OtherKey(i), OtherHash(i)));
        Assert.Equal(Rows * MemoryPlan.HotRowBytes, _hot.MemoryBytes);
    }

    [Fact]
    public void TakeWay_AfterAllWereGivenUp_CanBeFilled()
    {
        FillOthers(50);
        _hot.GiveUpWay();
        _hot.GiveUpWay();
        _hot.TakeWay();
        Fill(1, 10, Hash);
        Assert.Equal(Value(10), Read(1, Hash));
    }

    [Fact]
    public void TryCopyKey_AllSlots_FindsEachKeyOnce()
    {
        for (int i = 0; i < 20; i++) FillOther(i);
        Assert.Equal(Enumerable.Range(0, 20).Select(OtherKey).Order(), Places().Select(static place => place.Key).Order());
    }

    private static int OtherKey(int i) => 1000 + i;

    private static ulong OtherHash(int i) => ((ulong)i * 0x9E37_79B9_7F4A_7C15) | 1;

    private static byte[] Key(int key) => BitConverter.GetBytes(key);

    private static byte[] Value(int seed)
    {
        byte[] value = new byte[ValueBytes];
        new Random(seed).NextBytes(value);
        return value;
    }

    private static ValueHeader NewHeader() => new(default, 0, ValueKind.Whole);

    private void FillOthers(int count)
    {
        for (int i = 0; i < count; i++) FillOther(i);
    }

    private void FillOther(int i) => Fill(OtherKey(i), i, OtherHash(i));

    private void Fill(int key, int seed, ulong hash = Hash) => _hot.TryFill(Key(key), hash, NewHeader(), Value(seed), Seen(hash));

    /// <summary>Whether nobody fills.</summary>
    private bool CanNote(int other) => _hot.NoteRead(OtherHash(other)) || _hot.NoteRead(OtherHash(other));

    private IEnumerable<(int Row, int Way, int Key)> Places()
    {
        for (int row = 0; row < Rows; row++)
        {
            for (int way = 0; way < _hot.Ways; way++)
            {
                if (_hot.TryCopyKey(row, way, out byte[]? key)) yield return (row, way, BitConverter.ToInt32(key));
            }
        }
    }

    private void Update(int key, byte[] value, ValueHeader? header = null)
    {
        _hot.Lock(Hash);
        _hot.Update(Key(key), Hash, header ?? NewHeader(), value);
        _hot.UnlockWritten(Hash);
    }

    private void Forget(int key, ulong hash)
    {
        _hot.Lock(hash);
        _hot.Forget(Key(key), hash, out _);
        _hot.UnlockWritten(hash);
    }

    private ulong Seen(ulong hash) => _hot.ReadUnlocked(hash);

    private byte[]? Read(int key, ulong hash = Hash)
    {
        if (!_hot.TryFind(Key(key), hash, out var copy, out _)) return null;
        byte[] value = new byte[copy.Length];
        return _hot.TryCopy(in copy, value) ? value : null;
    }
}
