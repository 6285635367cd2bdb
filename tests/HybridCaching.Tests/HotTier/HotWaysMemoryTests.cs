using HybridCaching.Configuration;
using HybridCaching.Devices;
using HybridCaching.HotTier;
using HybridCaching.Records;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.HotTier;

/// <summary>Ways that are not in use take no memory, also where the system gives it by huge pages.</summary>
public sealed unsafe class HotWaysMemoryTests
{
    private const int Rows = 8_192;
    private const int UsedWays = 7;
    private const int AllWays = 32;
    private const int Keys = 4 * Rows * AllWays;

    private readonly HotTable<long, long> _table = new(Rows, UsedWays, AllWays);
    private readonly HotBytes _bytes = new(Rows, UsedWays, AllWays, slotBytes: 16 + 64);

    [Fact]
    public void HotTable_AllKeysFilled_OnlyWaysInUseTakeMemory()
    {
        FillTable();
        Assert.Equal(WaysOfTable(UsedWays), ResidentCopies());
    }

    [Fact]
    public void HotTable_WaysGivenUp_TakeNoMemory()
    {
        FillTable();
        for (int i = 0; i < 3; i++) _table.GiveUpWay();
        FillTable();
        Assert.Equal(WaysOfTable(UsedWays - 3), ResidentCopies());
    }

    [Fact]
    public void HotTable_WaysTaken_AreUsed()
    {
        FillTable();
        for (int i = 0; i < 3; i++) _table.TakeWay();
        FillTable();
        Assert.Equal(WaysOfTable(UsedWays + 3), ResidentCopies());
    }

    [Fact]
    public void HotBytes_AllKeysFilled_OnlyWaysInUseTakeMemory()
    {
        FillBytes();
        AssertWaysOfBytesTake(UsedWays);
    }

    [Fact]
    public void HotBytes_WaysGivenUp_TakeNoMemory()
    {
        FillBytes();
        for (int i = 0; i < 3; i++) _bytes.GiveUpWay();
        FillBytes();
        AssertWaysOfBytesTake(UsedWays - 3);
    }

    private static long WaysOfTable(int ways) => (long)Rows * ways * HotTable<long, long>.SlotBytes;

    private static ulong HashOf(long key) => (ulong)key * 0x9E37_79B9_7F4A_7C15;

    private long ResidentCopies() => ResidentMemory.In(PrivateField.Of<NativeBlock>(_table, "_copies").Start, WaysOfTable(AllWays));

    private void FillTable()
    {
        for (long key = 0; key < Keys; key++) _table.TryFill(in key, HashOf(key), new Entry<long> { Value = key }, _table.ReadUnlocked(HashOf(key)));
    }

    private void FillBytes()
    {
        byte[] value = new byte[100];
        for (long key = 0; key < Keys; key++) _bytes.TryFill(BitConverter.GetBytes(key), HashOf(key), new ValueHeader(default, 0, ValueKind.Whole), value, _bytes.ReadUnlocked(HashOf(key)));
    }

    private void AssertWaysOfBytesTake(int ways)
    {
        const long ReferenceWay = Rows * 16L;
        var arena = PrivateField.Of<SegmentedArena>(_bytes, "_arena");
        long arenaWay = (_bytes.MemoryBytes - (Rows * MemoryPlan.HotRowBytes)) / _bytes.Ways - ReferenceWay;
        Assert.InRange(ResidentMemory.In(PrivateField.Of<NativeBlock>(arena, "_memory").Start, arenaWay * AllWays), arenaWay * ways / 2, (arenaWay * ways) + Environment.SystemPageSize);
        Assert.InRange(ResidentMemory.In(PrivateField.Of<NativeBlock>(_bytes, "_references").Start, ReferenceWay * AllWays), ReferenceWay * ways, ReferenceWay * ways);
    }
}
