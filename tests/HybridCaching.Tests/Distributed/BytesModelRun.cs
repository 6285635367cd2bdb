using System.Buffers;
using HybridCaching.Records;
using HybridCaching.Store;
using HybridCaching.Tests.Support;
using Microsoft.Extensions.Caching.Distributed;

namespace HybridCaching.Tests.Distributed;

/// <summary>Takes the steps of a sequence in a cache and in the model, and compares the two after each. Where the cache may forget, the model forgets what it did: that must not come back.</summary>
internal sealed class BytesModelRun(string? directory)
{
    /// <summary>More than the memory of the cache holds.</summary>
    private const long BytesPerPush = 14 << 20;

    private const string Roomy = "256MB";
    private static readonly string[] Keys = ["", "a", "key-2", "Key-2", "übergroß", "\ud800", "\udbff\udfff", "a/../b", "nul\0", new string('x', 300), new string('ä', 3000), "*"];

    private readonly ManualTimeProvider _clock = new();
    private readonly byte[] _span = new byte[100_000];
    private int _pushes;

    /// <summary>How often at most so much else is stored that everything is on the disk only, or not even there.</summary>
    public int MostPushes { get; init; }

    /// <summary>The budget of the disk; one that has not room for all makes the cache forget.</summary>
    public string Disk { get; init; } = Roomy;

    public bool Restarts { get; init; }

    public Action<FasterDistributedCacheOptions>? Change { get; init; }

    public long DiskHits { get; private set; }

    public long Recovered { get; private set; }

    /// <summary>How many entries were missed that had not expired.</summary>
    public long Forgotten { get; private set; }

    private bool MayForget => Disk != Roomy;

    public void Take(BytesModelStep[] steps)
    {
        var options = BytesCache.Options(directory, directory is null ? "32MB" : "16MB", Disk);
        options.TimeProvider = _clock;
        Change?.Invoke(options);
        var model = new BytesModel(_clock, options, MayForget);
        var cache = new FasterDistributedCache(options);
        try
        {
            for (int i = 0; i < steps.Length; i++)
            {
                if (steps[i].Call == BytesModelCall.Push)
                {
                    if (_pushes++ < MostPushes) cache.Push(BytesPerPush, _pushes);
                }
                else if (steps[i].Call != BytesModelCall.Restart)
                {
                    Take(steps[i], version: i, cache, model);
                }
                else if (Restarts)
                {
                    Close(cache);
                    cache = new FasterDistributedCache(options);
                    Recovered += cache.GetStatistics().RecoveredEntries;
                }

                if (!MayForget && cache.GetStatistics().Evictions > 0) return; // the disk has room for all: on a busy machine a segment may go before it was looked through, and anything may be missing from then on
                foreach (string key in Keys) AssertSameInfo(key, cache, model);
            }

            foreach (string key in Keys) Read(BytesModelCall.Get, key, cache, model);
        }
        finally
        {
            Close(cache);
        }
    }

    private void Close(FasterDistributedCache cache)
    {
        DiskHits += cache.GetStatistics().DiskHits;
        cache.Dispose();
    }

    private void Take(BytesModelStep step, int version, FasterDistributedCache cache, BytesModel model)
    {
        string key = Keys[step.Key];
        switch (step.Call)
        {
            case BytesModelCall.Set or BytesModelCall.SetSequence or BytesModelCall.SetAsync:
                Set(step, key, version, cache, model);
                break;
            case BytesModelCall.Refresh or BytesModelCall.RefreshAsync:
                if (step.Call == BytesModelCall.Refresh) cache.Refresh(key);
                else cache.RefreshAsync(key).GetAwaiter().GetResult();
                model.Read(key);
                break;
            case BytesModelCall.Remove or BytesModelCall.RemoveAsync:
                if (step.Call == BytesModelCall.Remove) cache.Remove(key);
                else cache.RemoveAsync(key).GetAwaiter().GetResult();
                model.Remove(key);
                break;
            case BytesModelCall.RemoveByPrefix:
                string prefix = key[..Math.Min(key.Length, step.Number)];
                cache.RemoveByPrefixAsync(prefix).Await();
                model.RemoveByPrefix(prefix);
                break;
            case BytesModelCall.Clear:
                cache.Clear();
                model.Clear();
                break;
            case BytesModelCall.Advance:
                _clock.Advance(TimeSpan.FromMilliseconds(step.Number == 0 ? 1 : 250 * step.Number));
                break;
            default:
                Read(step.Call, key, cache, model);
                break;
        }
    }

    private void Set(BytesModelStep step, string key, int version, FasterDistributedCache cache, BytesModel model)
    {
        var lifetime = LifetimeOf(step);
        byte[] value = BytesValue.Of(key, version, step.Length);
        Action set = step.Call switch
        {
            BytesModelCall.Set => () => cache.Set(key, value, lifetime),
            BytesModelCall.SetSequence => () => cache.Set(key, new ReadOnlySequence<byte>(value), lifetime),
            _ => () => cache.SetAsync(key, value, lifetime).GetAwaiter().GetResult(),
        };
        if (step.Lifetime == BytesModelLifetime.Past)
        {
            Assert.Throws<ArgumentOutOfRangeException>("AbsoluteExpiration", set);
            return;
        }

        set();
        value.AsSpan().Clear(); // the cache has copied it
        model.Set(key, version, step.Length, lifetime);
    }

    private DistributedCacheEntryOptions LifetimeOf(BytesModelStep step)
    {
        var options = new DistributedCacheEntryOptions();
        int number = 1 + step.Number;
        var now = _clock.GetUtcNow();
        if (step.Lifetime is BytesModelLifetime.Absolute or BytesModelLifetime.AbsoluteAndRelative or BytesModelLifetime.SlidingAndAbsolute)
            options.AbsoluteExpiration = (now + TimeSpan.FromSeconds(2 * number)).ToOffset(TimeSpan.FromHours(number - 4));
        if (step.Lifetime is BytesModelLifetime.Relative or BytesModelLifetime.AbsoluteAndRelative or BytesModelLifetime.SlidingAndRelative)
            options.AbsoluteExpirationRelativeToNow = TimeSpan.FromSeconds(3 * number);
        if (step.Lifetime is BytesModelLifetime.Sliding or BytesModelLifetime.SlidingAndAbsolute or BytesModelLifetime.SlidingAndRelative)
            options.SlidingExpiration = TimeSpan.FromSeconds(number);
        if (step.Lifetime is BytesModelLifetime.Past) options.AbsoluteExpiration = now.ToOffset(TimeSpan.FromHours(2));
        return options;
    }

    private void Read(BytesModelCall call, string key, FasterDistributedCache cache, BytesModel model)
    {
        var writer = new BytesWriter();
        switch (call)
        {
            case BytesModelCall.Get:
                Judge(cache.Get(key));
                break;
            case BytesModelCall.GetAsync:
                Judge(cache.GetAsync(key).GetAwaiter().GetResult());
                break;
            case BytesModelCall.TryGetSpan:
                bool hit = cache.TryGet(key, _span, out int length);
                if (!hit || length <= _span.Length) Judge(hit ? _span.AsSpan(0, length).ToArray() : null);
                else Assert.Equal(model.Read(key)?.Length, length); // no more than its list was read
                break;
            default:
                hit = call == BytesModelCall.TryGetWriter ? cache.TryGet(key, writer) : cache.TryGetAsync(key, writer).Await();
                Judge(hit ? writer.Written.ToArray() : null);
                if (!hit) Assert.Equal(0, writer.WrittenCount);
                break;
        }

        void Judge(byte[]? found)
        {
            if (found is null && MayForget) NoteMiss(key, cache, model);
            var expected = Readable(model.Read(key));
            Assert.Equal(expected?.Length, found?.Length);
            if (found is not null) Assert.True(found.AsSpan().SequenceEqual(BytesValue.Of(key, expected!.Version, expected.Length)), $"'{key}' has another value");
        }
    }

    private static BytesModel.Entry? Readable(BytesModel.Entry? entry) => entry is { IsLost: false } ? entry : null;

    private void NoteMiss(string key, FasterDistributedCache cache, BytesModel model)
    {
        if (Readable(model.Peek(key)) is not { } entry) return;
        Forgotten++;
        model.Lose(key, BytesRecord.BytesFor(KeyText.Encode(key).Length, ValueHeader.MaximumBytes + entry.Length) > PrivateField.Of<int>(cache.Tiers, "_wholeRecordBytes"));
    }

    /// <summary>Compares without renewing anything. The age counts whole seconds of the clock, which may make it one more.</summary>
    private void AssertSameInfo(string key, FasterDistributedCache cache, BytesModel model)
    {
        bool found = cache.TryGetEntryInfo(key, out var info);
        if (!found && MayForget)
        {
            NoteMiss(key, cache, model);
            model.Remove(key);
        }

        var expected = model.Peek(key);
        Assert.True(found == expected is not null, $"'{key}': {(found ? "there, but should not be" : "not there, but should be")}");
        if (expected is null) return;
        long now = _clock.GetUtcNow().UtcTicks;
        Assert.Equal(expected.Length, info.Length);
        AssertTimeLeft(expected.TimeLeft(now), info.TimeLeft);
        double age = Math.Floor(TimeSpan.FromTicks(now - expected.Created).TotalSeconds);
        Assert.InRange(info.Age.TotalSeconds, age, age + 1);
    }

    private void AssertTimeLeft(TimeSpan? expected, TimeSpan? found)
    {
        if (MayForget && expected is { } latest && found is { } left) Assert.InRange(left, TimeSpan.Zero, latest);
        else Assert.Equal(expected, found);
    }
}
