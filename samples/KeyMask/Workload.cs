using System.Globalization;
using System.Text;
using HybridCaching;
using Microsoft.Extensions.Caching.Distributed;

namespace KeyMask;

/// <summary>What the four tests do with the cache, and what must come of it.</summary>
internal sealed class Workload(FasterDistributedCache cache, KeyMaskOptions options, CancellationToken cancellationToken)
{
    private const string KeyStart = "something_key:";
    private const string ValueStart = "something_value:";
    private const int Seed = 1;

    /// <summary>More than the text of any value.</summary>
    private const int MaxValueBytes = 64;

    private static readonly DistributedCacheEntryOptions NeverExpires = new();

    private readonly int[] _masked = RandomNumbers(options.Masks, options.Count);
    private long _found;
    private long _foundByMask;

    /// <summary>Reads that were hits; less than all if the budgets are too small for the entries.</summary>
    public long Found => Interlocked.Read(ref _found);

    public long Asked => options.Count;

    /// <summary>Entries that the masks gave.</summary>
    public long FoundByMask => Interlocked.Read(ref _foundByMask);

    /// <summary>Entries that the masks match.</summary>
    public long MatchedByMask => _masked.Sum(number => CountEndingIn(number, options.Count));

    public IReadOnlyList<TimedTest> Tests() =>
    [
        new("insert", options.Count, Set),
        new("overwrite", options.Count, Set),
        new("read", options.Count, Read),
        new("read by mask", options.Masks, ReadByMask),
    ];

    private static int[] RandomNumbers(int count, int limit)
    {
        var random = new Random(Seed);
        return [.. Enumerable.Range(0, count).Select(_ => random.Next(limit))];
    }

    /// <summary>How many of the numbers below the limit end in the digits of this one.</summary>
    private static long CountEndingIn(int number, int limit)
    {
        long step = 10;
        while (step <= number) step *= 10;
        return 1 + ((limit - 1 - number) / step);
    }

    private static void Check(string key, ReadOnlySpan<byte> value)
    {
        Span<byte> expected = stackalloc byte[MaxValueBytes];
        var number = key.AsSpan(KeyStart.Length);
        int length = Encoding.UTF8.GetBytes(ValueStart, expected);
        length += Encoding.UTF8.GetBytes(number, expected[length..]);
        if (!value.SequenceEqual(expected[..length])) throw new WrongAnswerException($"wrong value for {key}: '{Encoding.UTF8.GetString(value)}', expected '{ValueStart}{number}'");
    }

    private void Set(int number) => cache.Set($"{KeyStart}{number}", Encoding.UTF8.GetBytes($"{ValueStart}{number}"), NeverExpires);

    private void Read(int number)
    {
        string key = $"{KeyStart}{number}";
        Span<byte> value = stackalloc byte[MaxValueBytes];
        if (!cache.TryGet(key, value, out int length)) return;
        Check(key, value[..Math.Min(length, MaxValueBytes)]);
        Interlocked.Increment(ref _found);
    }

    private void ReadByMask(int index)
    {
        string ending = _masked[index].ToString(CultureInfo.InvariantCulture);
        foreach (var (key, value) in cache.ScanAsync($"s*{ending}", cancellationToken).ToBlockingEnumerable(CancellationToken.None))
        {
            if (!key.StartsWith(KeyStart, StringComparison.Ordinal) || !key.EndsWith(ending, StringComparison.Ordinal)) throw new WrongAnswerException($"the mask s*{ending} gave the key {key}");
            Check(key, value);
            Interlocked.Increment(ref _foundByMask);
        }
    }
}
