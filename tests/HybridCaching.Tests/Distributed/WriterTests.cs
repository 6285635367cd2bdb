using System.Buffers;
using HybridCaching.Tests.Concurrency;

namespace HybridCaching.Tests.Distributed;

/// <summary>The destination is the caller's code: it may throw, and then it is the only thing that has failed.</summary>
public sealed class WriterTests : IDisposable
{
    /// <summary>More than there are sessions or buffers to leak.</summary>
    private const int Often = 500;

    private static readonly int[] Lengths = [1, 100, 20_000, 900_000];

    private readonly TestDirectory _directory = new();
    private readonly FasterDistributedCache _cache;

    public WriterTests() => _cache = OpenCache.OpenCold(_directory.Path);

    /// <summary>Whether the call is asynchronous, and whether the values are on the disk.</summary>
    public static MatrixTheoryData<bool, bool> Cases => new([false, true], [false, true]);

    public static TheoryData<bool> SyncAndAsync => [false, true];

    public void Dispose()
    {
        _cache.Dispose();
        _directory.Dispose();
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task TryGet_WriterThrowsFromItsBuffers_Throws(bool isAsync, bool onDisk)
    {
        Store(onDisk, Lengths);
        foreach (int length in Lengths) await AssertThrowsAsync(isAsync, length, new FaultyWriter(throwFromBuffers: true));
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task TryGet_WriterThrowsFromAdvance_Throws(bool isAsync, bool onDisk)
    {
        Store(onDisk, Lengths);
        foreach (int length in Lengths) await AssertThrowsAsync(isAsync, length, new FaultyWriter(limit: length - 1));
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task TryGet_WriterGivesNoMoreThanItMust_WritesTheValue(bool isAsync, bool onDisk)
    {
        Store(onDisk, Lengths);
        foreach (int length in Lengths)
        {
            var writer = new FaultyWriter(step: 1);
            Assert.True(await TryGetAsync(isAsync, KeyOf(length), writer));
            Assert.Equal(OpenCache.Value(length), writer.Written);
        }
    }

    [Theory]
    [MemberData(nameof(SyncAndAsync))]
    public async Task TryGet_WriterThrowsAgainAndAgain_LeaksNothing(bool isAsync)
    {
        Store(onDisk: true, 100);
        _cache.Set("in memory", [1], OpenCache.NoExpiration);
        for (int i = 0; i < Often; i++)
        {
            var writer = new FaultyWriter(throwFromBuffers: i % 2 == 0, limit: 0);
            await Assert.ThrowsAsync<InvalidOperationException>(async () => await TryGetAsync(isAsync, i % 4 < 2 ? "k100" : "in memory", writer));
        }

        Assert.Equal(OpenCache.Value(100), _cache.Get("k100"));
        _cache.Set("k100", [2], OpenCache.NoExpiration);
        Assert.Equal([2], _cache.Get("k100")!);
    }

    [Theory]
    [MemberData(nameof(SyncAndAsync))]
    public void TryGet_WriterUsesTheCache_Works(bool isAsync)
    {
        Store(onDisk: false, 100);
        var writer = new ReenteringWriter(_cache);
        Crew.MustEnd("TryGet", () => Assert.True(TryGetAsync(isAsync, "k100", writer).AsTask().GetAwaiter().GetResult()));
        Assert.Equal(OpenCache.Value(100), writer.Written);
        Assert.Equal([7], _cache.Get("by the writer")!);
        Assert.Null(_cache.Get("k100"));
    }

    [Theory]
    [MemberData(nameof(SyncAndAsync))]
    public async Task TryGet_Miss_DoesNotCallTheWriter(bool isAsync)
    {
        var writer = new FaultyWriter();
        Assert.False(await TryGetAsync(isAsync, "k100", writer));
        Assert.Equal(0, writer.Calls);
    }

    [Theory]
    [MemberData(nameof(SyncAndAsync))]
    public async Task TryGet_WriterHasContent_Appends(bool isAsync)
    {
        Store(onDisk: false, 100);
        var writer = new ArrayBufferWriter<byte>();
        writer.Write<byte>([1, 2, 3]);
        Assert.True(await TryGetAsync(isAsync, "k100", writer));
        Assert.Equal([1, 2, 3, .. OpenCache.Value(100)], writer.WrittenSpan.ToArray());
    }

    [Theory]
    [MemberData(nameof(SyncAndAsync))]
    public async Task TryGet_EmptyValue_WritesNothing(bool isAsync)
    {
        Store(onDisk: false, 0);
        var writer = new FaultyWriter();
        Assert.True(await TryGetAsync(isAsync, "k0", writer));
        Assert.Empty(writer.Written);
    }

    private static string KeyOf(int length) => $"k{length}";

    private void Store(bool onDisk, params int[] lengths)
    {
        foreach (int length in lengths) _cache.Set(KeyOf(length), OpenCache.Value(length), OpenCache.NoExpiration);
        if (onDisk) _cache.PushToDisk([.. lengths.Select(KeyOf)]);
    }

    private async Task AssertThrowsAsync(bool isAsync, int length, FaultyWriter writer)
    {
        Assert.Same(writer.Failure, await Assert.ThrowsAsync<InvalidOperationException>(async () => await TryGetAsync(isAsync, KeyOf(length), writer)));
        Assert.Equal(OpenCache.Value(length), _cache.Get(KeyOf(length)));
    }

    private async ValueTask<bool> TryGetAsync(bool isAsync, string key, IBufferWriter<byte> writer) => isAsync ? await _cache.TryGetAsync(key, writer) : _cache.TryGet(key, writer);

    /// <summary>Removes what is being read, and stores something else, before it takes a byte.</summary>
    private sealed class ReenteringWriter(FasterDistributedCache cache) : IBufferWriter<byte>
    {
        private readonly ArrayBufferWriter<byte> _inner = new();

        public byte[] Written => _inner.WrittenSpan.ToArray();

        public void Advance(int count) => _inner.Advance(count);

        public Memory<byte> GetMemory(int sizeHint = 0)
        {
            cache.Remove("k100");
            cache.Set("by the writer", [7], OpenCache.NoExpiration);
            return _inner.GetMemory(sizeHint);
        }

        public Span<byte> GetSpan(int sizeHint = 0) => GetMemory(sizeHint).Span;
    }
}
