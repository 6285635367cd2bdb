using System.Diagnostics;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Distributed;

/// <summary>Who cancels a read of the disk is free at once, gets nothing written any more, and leaves nothing behind that would keep the cache from closing.</summary>
public sealed class BytesConcurrencyTests : IDisposable
{
    private const string Small = BytesColdCache.Small;
    private const string Large = BytesColdCache.Large;

    /// <summary>Far less than the timeout of the disk, far more than a busy machine takes.</summary>
    private static readonly TimeSpan Promptly = TimeSpan.FromSeconds(5);

    private readonly BytesColdCache _cold = new(diskTimeout: 2 * Until.Deadline);
    private readonly FasterDistributedCache _cache;
    private readonly CancellationTokenSource _cancel = new();

    public BytesConcurrencyTests() => _cache = _cold.Cache;

    public static TheoryData<string> Keys => [Small, Large];

    public void Dispose()
    {
        _cold.Dispose();
        _cancel.Dispose();
    }

    [Theory]
    [MemberData(nameof(Keys))]
    public void GetAsync_CancelledWhileReadHangs_Throws(string key)
    {
        _cold.Gate.Close();
        var read = _cache.GetAsync(key, _cancel.Token);

        Assert.Equal(_cancel.Token, CancelAndCatch(read).CancellationToken);
    }

    [Theory]
    [MemberData(nameof(Keys))]
    public void TryGetAsync_CancelledWhileReadHangs_WritesNothingAnyMore(string key)
    {
        _cold.Gate.Close();
        var writer = new BytesWriter();
        CancelAndCatch(_cache.TryGetAsync(key, writer, _cancel.Token).AsTask());
        writer.Close();
        _cold.Gate.Open();
        for (int i = 0; i < 100; i++) BytesColdCache.AssertThere(_cache, BytesColdCache.ColdKey(i)); // in other buffers, or the same
        _cold.OpenGateAndClose();

        Assert.Equal((0, 0), (writer.WrittenCount, writer.CallsAfterClose));
    }

    [Theory]
    [MemberData(nameof(Keys))]
    public void GetManyAsync_CancelledWhileReadHangs_Throws(string key)
    {
        _cold.Gate.Close();

        CancelAndCatch(_cache.GetManyAsync([key, BytesColdCache.ColdKey(1), BytesColdCache.Warm], _cancel.Token).AsTask());
    }

    [Theory]
    [MemberData(nameof(Keys))]
    public void RefreshAsync_CancelledWhileReadHangs_Ends(string key)
    {
        _cold.Gate.Close();
        var refresh = _cache.RefreshAsync(key, _cancel.Token);
        _cancel.Cancel();

        // A value that does not slide need not be read at all if the key tells so.
        _cold.MustEnd("RefreshAsync", () => Assert.True(Record.Exception(() => refresh.GetAwaiter().GetResult()) is null or OperationCanceledException));
    }

    [Fact]
    public void ScanAsync_CancelledWhileReadHangs_Throws()
    {
        _cold.Gate.Close();

        CancelAndCatch(Task.Run(async () =>
        {
            await foreach (var entry in _cache.ScanAsync("*", _cancel.Token)) Assert.NotNull(entry.Value);
        }));
    }

    [Theory]
    [MemberData(nameof(Keys))]
    public void Dispose_AfterCancelledReads_EndsAndKeepsEverything(string key)
    {
        _cold.Gate.Close();
        var reads = Enumerable.Range(0, 100).Select(_ => _cache.TryGetAsync(key, new BytesWriter(), _cancel.Token).AsTask()).ToList();
        CancelAndCatch(reads[0]);
        foreach (var read in reads) AssertCancelled(read);
        _cold.OpenGateAndClose();

        using var again = _cold.Reopen();
        Assert.All([Small, Large, BytesColdCache.Warm], name => BytesColdCache.AssertThere(again, name));
    }

    [Fact]
    public void Dispose_CancelledReadStillHangs_Ends()
    {
        _cold.Gate.Close();
        CancelAndCatch(_cache.GetAsync(Large, _cancel.Token));

        _cold.MustEnd("Dispose", _cache.Dispose);
    }

    [Theory]
    [MemberData(nameof(Keys))]
    public void Get_AfterMoreCancelledReadsThanThereAreReaders_IsHit(string key)
    {
        for (int round = 0; round < 5; round++)
        {
            _cold.Gate.Close();
            using var cancel = new CancellationTokenSource();
            var reads = Enumerable.Range(0, 150).Select(i => _cache.GetAsync(i % 2 == 0 ? key : BytesColdCache.ColdKey(i), cancel.Token)).ToList();
            cancel.Cancel();
            foreach (var read in reads) AssertCancelled(read);
            _cold.Gate.Open();
        }

        Crew.MustEnd("Get", () => BytesColdCache.AssertThere(_cache, key));
    }

    /// <summary>A destination may take its time, and whoever fills it may be told to stop meanwhile; what it has got by then is a beginning of the value.</summary>
    [Theory]
    [MemberData(nameof(Keys))]
    public void TryGetAsync_CancelledWhileTheDestinationIsFilled_NeverWritesAnythingElse(string key)
    {
        var writer = new BytesWriter(pieceBytes: 100) { BeforePiece = _ => _cancel.Cancel() };
        var read = _cache.TryGetAsync(key, writer, _cancel.Token).AsTask();
        bool hit = false;
        Crew.MustEnd("TryGetAsync", () => Assert.True(Record.Exception(() => hit = read.GetAwaiter().GetResult()) is null or OperationCanceledException));
        writer.Close();

        Assert.True(BytesColdCache.ValueOf(key, 1).AsSpan().StartsWith(writer.Written));
        if (hit) Assert.Equal(BytesColdCache.ValueOf(key, 1).Length, writer.WrittenCount);
        _cold.OpenGateAndClose();
        Assert.Equal(0, writer.CallsAfterClose);
    }

    /// <summary>User code throws inside our write, in memory and from the disk; nothing is lost by it.</summary>
    [Theory]
    [InlineData(Small)]
    [InlineData(Large)]
    [InlineData(BytesColdCache.Warm)]
    public void TryGet_DestinationThrows_ThrowsThatAndWorksOn(string key)
    {
        for (int i = 0; i < 300; i++)
        {
            var writer = new BytesWriter(pieceBytes: 100) { BeforePiece = _ => throw new InvalidOperationException("Max length exceeded") };
            if (i % 2 == 0) Assert.Throws<InvalidOperationException>(() => _cache.TryGet(key, writer));
            else Assert.Throws<InvalidOperationException>(() => _cache.TryGetAsync(key, writer).Await());
        }

        BytesColdCache.AssertThere(_cache, key);
        Crew.MustEnd("Dispose", _cache.Dispose);
    }

    /// <summary>A destination that never comes to an end holds up nobody else: it is filled with nothing in hand.</summary>
    [Theory]
    [InlineData(Small)]
    [InlineData(Large)]
    [InlineData(BytesColdCache.Warm)]
    public void TryGet_DestinationWaits_HoldsUpNobody(string key)
    {
        using var goOn = new ManualResetEventSlim();
        using var isWaiting = new ManualResetEventSlim();
        var writer = new BytesWriter
        {
            BeforePiece = _ =>
            {
                isWaiting.Set();
                goOn.Wait();
            },
        };
        bool hit = false;
        var reader = Crew.Start(() => hit = _cache.TryGet(key, writer));
        Assert.True(isWaiting.Wait(Until.Deadline));
        try
        {
            Crew.MustEnd("Set", () => _cold.Set(key, version: 2));
            Crew.MustEnd("Remove", () => _cache.Remove(key));
            Crew.MustEnd("Set", () => _cache.Push(20 << 20, round: 100));
            Crew.MustEnd("Clear", _cache.Clear);
            Crew.MustEnd("Get", () => Assert.Null(_cache.Get(key)));
        }
        finally
        {
            goOn.Set();
            Assert.True(reader.Join(Until.Deadline));
        }

        // What it is given is the value of when it asked; a miss would have written nothing.
        if (hit) Assert.True(writer.Written.SequenceEqual(BytesColdCache.ValueOf(key, 1)));
        else Assert.Equal((Large, 0), (key, writer.WrittenCount));
    }

    /// <summary>Thousands of calls at once, half of them cancelled before they begin, the others soon after.</summary>
    [Fact]
    public void TryGetAsync_CancelledInThousands_AllEndAndLoseNothing()
    {
        const int Calls = 10_000;
        const int Threads = 4;
        const int AtOnce = 100;
        _cache.Tiers.Device!.Fault = static _ =>
        {
            Thread.Sleep(1);
            return false;
        };
        int cancelled = 0;
        Crew.Run(Threads, me =>
        {
            var random = new Random(me);
            for (int done = 0; done < Calls / Threads; done += AtOnce)
            {
                using var soon = new CancellationTokenSource();
                var calls = Enumerable.Range(0, AtOnce).Select(i => new Call(_cache, i % 20 == 0 ? Large : BytesColdCache.ColdKey(random.Next(BytesColdCache.ColdKeys)), i % 2 == 0 ? soon.Token : new CancellationToken(true))).ToList();
                soon.CancelAfter(TimeSpan.FromMilliseconds(random.Next(6)));
                long start = Stopwatch.GetTimestamp();
                foreach (var call in calls)
                {
                    if (call.WaitIsCancelled()) Interlocked.Increment(ref cancelled);
                }

                Assert.InRange(Stopwatch.GetElapsedTime(start), TimeSpan.Zero, Promptly);
                Assert.All(calls, call => call.AssertNothingWrittenSince());
            }
        });

        Assert.InRange(cancelled, Calls / 2, Calls);
        _cache.Tiers.Device!.Fault = null;
        Assert.All([Small, Large, BytesColdCache.Warm], key => BytesColdCache.AssertThere(_cache, key));
        Crew.MustEnd("Dispose", _cache.Dispose);
    }

    private static void AssertCancelled(Task read) => Assert.ThrowsAny<OperationCanceledException>(() => read.WaitAsync(Until.Deadline).GetAwaiter().GetResult());

    /// <summary>Waits until the read hangs, cancels it, and returns what it throws, at once.</summary>
    private OperationCanceledException CancelAndCatch(Task read)
    {
        _cold.Gate.AwaitHeld();
        Assert.False(read.IsCompleted);
        long start = Stopwatch.GetTimestamp();
        _cancel.Cancel();
        var e = Assert.ThrowsAny<OperationCanceledException>(() => read.WaitAsync(Until.Deadline).GetAwaiter().GetResult());
        Assert.InRange(Stopwatch.GetElapsedTime(start), TimeSpan.Zero, Promptly);
        Assert.True(_cold.Gate.IsClosed);
        return e;
    }

    /// <summary>One of many reads.</summary>
    private sealed class Call
    {
        private readonly BytesWriter _writer = new();
        private readonly string _key;
        private readonly Task<bool> _read;

        public Call(FasterDistributedCache cache, string key, CancellationToken token)
        {
            _key = key;
            try
            {
                _read = cache.TryGetAsync(key, _writer, token).AsTask();
            }
            catch (OperationCanceledException e)
            {
                _read = Task.FromCanceled<bool>(e.CancellationToken);
            }
        }

        public bool WaitIsCancelled()
        {
            bool cancelled = false;
            try
            {
                Assert.True(_read.WaitAsync(Until.Deadline).GetAwaiter().GetResult(), $"{_key} is not there");
                Assert.True(_writer.Written.SequenceEqual(BytesColdCache.ValueOf(_key, 1)), $"{_key} has another value");
            }
            catch (OperationCanceledException)
            {
                cancelled = true;
            }

            _writer.Close();
            return cancelled;
        }

        public void AssertNothingWrittenSince() => Assert.Equal(0, _writer.CallsAfterClose);
    }
}
