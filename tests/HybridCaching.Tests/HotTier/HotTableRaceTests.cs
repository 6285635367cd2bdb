using System.Collections.Concurrent;
using System.Runtime.CompilerServices;
using HybridCaching.HotTier;
using HybridCaching.Records;
using HybridCaching.Tests.Concurrency;

namespace HybridCaching.Tests.HotTier;

/// <summary>Writers, readers and fillers at once, as the cache uses the table: a hit is whole, of its key, and never older than what was over before it began.</summary>
public sealed class HotTableRaceTests
{
    private const int Writers = 3;
    private const int Threads = 8;
    private const int FewKeys = 12;
    private const int ManyKeys = 200;

    private readonly HotTable<long, Quint> _table = new(rows: 4, ways: 4, maximumWays: 16);
    private readonly ConcurrentQueue<string> _violations = new();
    private readonly Duration _duration = Duration.Of(1);
    private long _hits;

    [Fact]
    public void TryRead_UpdatedMeanwhile_NeverGoesBack() => Run(FewKeys, removeOneIn: 0, clears: false);

    [Fact]
    public void TryRead_ForgottenMeanwhile_NeverComesBack() => Run(FewKeys, removeOneIn: 2, clears: false);

    [Fact]
    public void TryRead_ClearedMeanwhile_NeverComesBack() => Run(FewKeys, removeOneIn: 8, clears: true);

    [Fact]
    public void TryRead_EvictedMeanwhile_NeverGoesBack() => Run(ManyKeys, removeOneIn: 8, clears: false);

    [Fact]
    public void TryRead_WaysGrownMeanwhile_NeverGoesBack() => Run(ManyKeys, removeOneIn: 8, clears: false, grows: true);

    [Fact]
    public void TryRead_LargeValuesUpdatedMeanwhile_AreNeverTorn()
    {
        const int LargeKeys = 6;
        const ulong Hash = 0xAB00_0000_0000_0000;
        var table = new HotTable<long, Large>(rows: 4, ways: 4, maximumWays: 4);
        Crew.Run(Threads, me =>
        {
            var random = new Random(me);
            Entry<Large> entry = default;
            long hits = 0;
            for (long number = 0; !_duration.IsOver; number++)
            {
                long key = random.Next(LargeKeys);
                if (me < Writers)
                {
                    entry.Value = Large.Of(key, (number * Writers) + me);
                    table.Lock(Hash);
                    table.Update(in key, Hash, in entry);
                    table.UnlockWritten(Hash);
                    Thread.SpinWait(200);
                }
                else if (table.TryRead(in key, Hash, ref entry.Value, out _, out ulong seen))
                {
                    hits++;
                    Assert.True(entry.Value.IsWholeOf(key), "torn or mixed up");
                }
                else
                {
                    entry.Value = Large.Of(key, number);
                    table.TryFill(in key, Hash, in entry, seen);
                }
            }

            Interlocked.Add(ref _hits, hits);
        });
        Assert.True(_hits > 1000, $"only {_hits} hits");
    }

    /// <summary>The array stands for the log: the number of the set that it holds of each key, 0 for none; written under the row's lock only.</summary>
    private void Run(int keys, int removeOneIn, bool clears, bool grows = false)
    {
        var history = new RegisterHistory(keys);
        var log = new long[keys];
        Crew.Run(Threads, me =>
        {
            var random = new Random(me);
            while (!_duration.IsOver && _violations.IsEmpty)
            {
                if (me < Writers) Write(me, history, log, random, removeOneIn);
                else if (me == Threads - 1 && clears) Clear(history, log);
                else Read(history, log, random);
                if (me == 0 && grows && random.Next(10_000) == 0) ChangeWays(random);
            }
        });
        Assert.Empty(_violations);
        Assert.True(_hits > 1000, $"only {_hits} hits");
    }

    private void ChangeWays(Random random)
    {
        if (random.Next(3) == 0) _table.GiveUpWay();
        else _table.TakeWay();
    }

    private void Write(int me, RegisterHistory history, long[] log, Random random, int removeOneIn)
    {
        int key = (random.Next(history.Keys) / Writers * Writers) + me;
        if (key >= history.Keys) return;
        ulong hash = HashOf(key);
        bool removes = removeOneIn > 0 && random.Next(removeOneIn) == 0;
        long number = history.Begin(key);
        _table.Lock(hash);
        Volatile.Write(ref log[key], removes ? 0 : number);
        if (removes) _table.Forget(key, hash);
        else _table.Update(key, hash, new Entry<Quint> { Value = Quint.Of(key, me, number) });
        _table.UnlockWritten(hash);
        history.End(key, number);
        JudgeRead(key, history, out _);
        for (int pause = random.Next(4); pause > 0; pause--) Thread.SpinWait(50);
    }

    private void Read(RegisterHistory history, long[] log, Random random)
    {
        int key = random.Next(history.Keys);
        if (JudgeRead(key, history, out ulong seen)) return;
        long number = Volatile.Read(ref log[key]);
        if (number == 0) return;

        // The longer ago the log was read, the likelier it is that what it said is out of date.
        if (random.Next(8) == 0) Thread.SpinWait(random.Next(2_000));
        if (random.Next(500) == 0) Thread.Yield();
        _table.TryFill(key, HashOf(key), new Entry<Quint> { Value = Quint.Of(key, key % Writers, number) }, seen);
    }

    private void Clear(RegisterHistory history, long[] log)
    {
        history.Clear(() =>
        {
            _table.LockAll();
            for (int key = 0; key < log.Length; key++) Volatile.Write(ref log[key], 0);
            _table.ClearAndUnlockAll();
        });
        for (int i = 0; i < 20; i++) Thread.Yield();
    }

    private bool JudgeRead(int key, RegisterHistory history, out ulong seen)
    {
        long floor = history.Floor(key);
        Quint value = default;
        if (!_table.TryRead(key, HashOf(key), ref value, out _, out seen)) return false;
        Interlocked.Increment(ref _hits);
        if (history.Judge(key, in value, floor) is { } violation) _violations.Enqueue(violation);
        return true;
    }

    /// <summary>All four rows, three tags: keys of different writers share both.</summary>
    private static ulong HashOf(int key) => ((ulong)(key & 3) << 50) | ((ulong)(1 + (key / 12 % 3)) << 56);

    /// <summary>A value of many cache lines, whose every word is made from key and number.</summary>
    [InlineArray(Words)]
    private struct Large
    {
        private const int Words = 96;
        private long _first;

        public static Large Of(long key, long number)
        {
            Large value = default;
            for (int i = 0; i < Words; i++) value[i] = (number << 8) | key;
            return value;
        }

        public readonly bool IsWholeOf(long key)
        {
            ReadOnlySpan<long> words = this;
            return (words[0] & 0xFF) == key && words.IndexOfAnyExcept(words[0]) < 0;
        }
    }
}
