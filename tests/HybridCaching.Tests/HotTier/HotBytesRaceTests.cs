using System.Collections.Concurrent;
using System.Runtime.InteropServices;
using HybridCaching.HotTier;
using HybridCaching.Records;
using HybridCaching.Tests.Concurrency;

namespace HybridCaching.Tests.HotTier;

/// <summary>Writers, readers and fillers at once in an arena so small that its segments are used anew all the time, with a ring for probation or, with fewer than ten ways, without: a hit is whole, of its key, and never older than what was over before it began.</summary>
public sealed class HotBytesRaceTests
{
    private const int Rows = 64;
    private const int Keys = 1500;
    private const int Writers = 2;
    private const int Threads = 8;
    private const int LongestWords = 120;

    private readonly HotBytes _hot = new(Rows, ways: 11, maximumWays: 16, slotBytes: 16 + 256);
    private readonly long[] _begun = new long[Keys];
    private readonly long[] _over = new long[Keys];
    private readonly ConcurrentQueue<string> _violations = new();
    private readonly Duration _duration = Duration.Of(2);
    private long _hits;

    [Fact]
    public void TryCopy_SegmentsUsedAnewMeanwhile_NeverGoesBack() => Run(grows: false);

    [Fact]
    public void TryCopy_WaysTakenAndGivenUpMeanwhile_NeverGoesBack() => Run(grows: true);

    private void Run(bool grows)
    {
        Crew.Run(Threads, me =>
        {
            var random = new Random(me);
            while (!_duration.IsOver && _violations.IsEmpty)
            {
                int key = random.Next(random.Next(2) == 0 ? Keys : Keys / 10);
                if (me == Writers && grows && random.Next(1000) == 0) Resize(random);
                else if (me < Writers && random.Next(8) == 0) Write((key / Writers * Writers) + me, random);
                else ReadOrFill(key, random);
            }
        });
        Assert.Empty(_violations);
        Assert.True(Volatile.Read(ref _hits) > 1000, $"only {_hits} hits");
    }

    private static ulong HashOf(int key) => (ulong)(key + 1) * 0x9E37_79B9_7F4A_7C15;

    private static byte[] BytesOf(int key) => BitConverter.GetBytes(key);

    private static ValueHeader NewHeader() => new(default, 0, ValueKind.Whole);

    /// <summary>A version of a key, over and over. Now and then it is a word longer, for which there may or may not be room in the place of the one before.</summary>
    private static ReadOnlySpan<byte> ValueOf(int key, long number, Random random)
    {
        long[] words = new long[1 + (key % LongestWords) + random.Next(2)];
        Array.Fill(words, (number * Keys) + key);
        return MemoryMarshal.AsBytes(words.AsSpan());
    }

    private void Resize(Random random)
    {
        if (random.Next(2) == 0) _hot.TakeWay();
        else _hot.GiveUpWay();
    }

    /// <summary>As the cache does: the log changes under the row's lock, here a number, and then the copy is brought up to date or dropped.</summary>
    private void Write(int key, Random random)
    {
        ulong hash = HashOf(key);
        _hot.Lock(hash);
        Volatile.Write(ref _begun[key], _begun[key] + 1);
        if (random.Next(4) == 0) _hot.Forget(BytesOf(key), hash, out _);
        else _hot.Update(BytesOf(key), hash, NewHeader(), ValueOf(key, _begun[key], random));
        _hot.UnlockWritten(hash);
        Volatile.Write(ref _over[key], _begun[key]);
    }

    private void ReadOrFill(int key, Random random)
    {
        long floor = Volatile.Read(ref _over[key]);
        ulong hash = HashOf(key);
        if (_hot.TryFind(BytesOf(key), hash, out var copy, out ulong seen))
        {
            byte[] value = new byte[copy.Length];
            if (!_hot.TryCopy(in copy, value)) return;
            Interlocked.Increment(ref _hits);
            Judge(key, MemoryMarshal.Cast<byte, long>(value), floor);
            return;
        }

        if (_hot.NoteRead(hash)) _hot.TryFill(BytesOf(key), hash, NewHeader(), ValueOf(key, Volatile.Read(ref _begun[key]), random), seen);
    }

    private void Judge(int key, ReadOnlySpan<long> words, long floor)
    {
        if (words.ContainsAnyExcept(words[0])) _violations.Enqueue($"key {key}: torn");
        else if (words[0] % Keys != key) _violations.Enqueue($"key {key}: the value of key {words[0] % Keys}");
        else if (words[0] / Keys < floor) _violations.Enqueue($"key {key}: {words[0] / Keys}, though {floor} was over before");
    }
}
