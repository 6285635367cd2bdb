using FsCheck;
using FsCheck.Fluent;
using HybridCaching.HotTier;
using HybridCaching.Records;

namespace HybridCaching.Tests.HotTier;

/// <summary>Random sequences of what writers and readers do: a hit is always what a dictionary holds.</summary>
public sealed class HotTableModelTests
{
    private const int Keys = 10;

    private enum Call
    {
        Set,
        Remove,
        Clear,
        Note,
        Fill,
        NoteAndFill,
        Grow,
    }

    private static readonly Gen<(Call Call, int Key, int Number)> AnyStep =
        from call in Gen.Frequency(
            (8, Gen.Constant(Call.Set)), (2, Gen.Constant(Call.Remove)), (1, Gen.Constant(Call.Clear)), (1, Gen.Constant(Call.Grow)),
            (10, Gen.Constant(Call.Note)), (10, Gen.Constant(Call.Fill)), (10, Gen.Constant(Call.NoteAndFill)))
        from key in Gen.Choose(0, Keys - 1)
        from number in Gen.Choose(0, 1000)
        select (call, key, number);

    [Fact]
    public void TryRead_AfterAnySequence_IsAMissOrWhatTheModelHolds() => Check.One(
        Config.QuickThrowOnFailure.WithMaxTest(200),
        Prop.ForAll(Arb.From(AnyStep.ArrayOf(200)), steps => Run(steps) >= 0));

    [Fact]
    public void TryRead_InManySequences_HitsOften() => Assert.InRange(AnyStep.ArrayOf(200).Sample(100, 100).Sum(Run), 10_000, int.MaxValue);

    /// <returns>How many hits there were.</returns>
    private static int Run((Call Call, int Key, int Number)[] steps)
    {
        var table = new HotTable<long, long>(rows: 4, ways: 1, maximumWays: 5);
        var model = new Dictionary<long, long>();
        var notes = new Dictionary<long, (ulong Word, long? Value)>();
        int hits = 0;
        foreach (var (call, key, number) in steps)
        {
            Take(call, key, number, table, model, notes);
            for (int read = 0; read < Keys; read++)
            {
                Entry<long> entry = default;
                if (!table.TryRead(read, HashOf(read), ref entry.Value, out entry.Header, out _)) continue;
                Assert.True(model.TryGetValue(read, out long value), $"key {read} is back");
                Assert.Equal(value, entry.Value);
                hits++;
            }
        }

        return hits;
    }

    private static void Take(Call call, long key, int number, HotTable<long, long> table, Dictionary<long, long> model, Dictionary<long, (ulong Word, long? Value)> notes)
    {
        ulong hash = HashOf(key);
        switch (call)
        {
            case Call.Set:
                table.Lock(hash);
                model[key] = number;
                table.Update(in key, hash, new Entry<long> { Value = number });
                table.UnlockWritten(hash);
                break;
            case Call.Remove:
                table.Lock(hash);
                model.Remove(key);
                table.Forget(in key, hash);
                table.UnlockWritten(hash);
                break;
            case Call.Clear:
                table.LockAll();
                model.Clear();
                table.ClearAndUnlockAll();
                break;
            case Call.Note:
                notes[key] = (table.ReadUnlocked(hash), model.TryGetValue(key, out long value) ? value : null);
                break;
            case Call.Fill when notes.TryGetValue(key, out var note) && note.Value is { } noted:
                table.TryFill(in key, hash, new Entry<long> { Value = noted }, note.Word);
                break;
            case Call.NoteAndFill when model.TryGetValue(key, out long now):
                table.TryFill(in key, hash, new Entry<long> { Value = now }, table.ReadUnlocked(hash));
                break;
            case Call.Grow:
                if (table.Ways % 3 == 2) table.GiveUpWay();
                else table.TakeWay();
                break;
        }
    }

    /// <summary>Two rows, three tags.</summary>
    private static ulong HashOf(long key) => ((ulong)(key & 1) << 50) | ((ulong)(key % 3) << 56);
}
