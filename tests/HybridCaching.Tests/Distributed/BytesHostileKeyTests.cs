using System.Runtime.InteropServices;
using HybridCaching.Devices;

namespace HybridCaching.Tests.Distributed;

/// <summary>Keys that somebody has chosen to pile up in one place do not: all are found, and a read of one asks the disk as often as a read of a random one.</summary>
public sealed class BytesHostileKeyTests : IDisposable
{
    private const int Count = 1 << 16;

    /// <summary>The factor of FASTER's own hash of bytes (Utility.HashBytes).</summary>
    private const int Factor = 40343;

    private const int Bits = 16;

    private static readonly Dictionary<string, Func<IEnumerable<string>>> Makers = new()
    {
        ["equal under FASTER's hash"] = () => Numbers().Select(i => EqualUnderFastersHash(i, firstByte: 0)),
        ["equal under FASTER's hash behind a byte"] = () => Numbers().Select(i => EqualUnderFastersHash(i, firstByte: 1)),
        ["same long prefix"] = () => Numbers().Select(i => $"{new string('p', 200)}{i}"),
        ["same long suffix"] = () => Numbers().Select(i => $"{i}{new string('s', 200)}"),
        ["one character"] = () => Numbers().Select(i => $"{(char)i}"),
        ["lengths of one character"] = () => Numbers().Select(i => $"{i >> 8}{new string('x', i & 0xFF)}"),
        ["bits far apart"] = () => Numbers().Select(i => string.Concat(Enumerable.Range(0, Bits).Select(bit => (i >> bit & 1) == 0 ? "aaaaaaaa" : "aaaaaaab"))),
        ["random"] = () => new Random(1) is var random ? Numbers().Select(_ => $"{random.NextInt64():x16}") : [],
    };

    private readonly TestDirectory _directory = new();

    public static TheoryData<string> Patterns => [.. Makers.Keys];

    [Theory]
    [MemberData(nameof(Patterns))]
    public void Keys_OfEveryPattern_AreDistinct(string pattern) => Assert.Equal(Count, Makers[pattern]().Distinct(StringComparer.Ordinal).Count());

    [Theory]
    [InlineData("equal under FASTER's hash", 0)]
    [InlineData("equal under FASTER's hash behind a byte", 1)]
    public void FastersHash_KeysMadeForIt_IsOne(string pattern, int firstByte) =>
        Assert.Single(Makers[pattern]().Select(key => FastersHash([.. new byte[firstByte], .. MemoryMarshal.AsBytes(key.AsSpan())])).Distinct());

    [Theory]
    [MemberData(nameof(Patterns))]
    public void Get_HostileKeys_AreAllFound(string pattern)
    {
        using var cache = BytesCache.Open(directory: null, "64MB", change: o => o.TypicalEntryBytes = 256);
        SetAll(cache, pattern);

        Assert.Equal(Count, Makers[pattern]().Index().Count(key => cache.TryGet(key.Item, stackalloc byte[4], out int length) && length == 4));
    }

    /// <summary>A chain of records with one hash would be walked on the disk, one read for each.</summary>
    [Theory]
    [MemberData(nameof(Patterns))]
    public void Get_HostileKeysOnDisk_AsksTheDiskOnce(string pattern)
    {
        const int Reads = 1500;
        using var cache = BytesCache.Open(_directory.Path, "24MB", "64MB", o => (o.HotTierShare, o.TypicalEntryBytes) = (0, 256));
        SetAll(cache, pattern);
        var keys = Makers[pattern]().Take(2 * Reads).ToList();
        cache.PushToDisk(keys[^1]);
        long asked = 0;
        cache.Tiers.Device!.Fault = request =>
        {
            if (request.Kind == IoKind.Read) Interlocked.Increment(ref asked);
            return false;
        };

        // Every other one in an order of its own: neighbours on the disk are not asked for one after the other.
        var random = new Random(1);
        for (int i = 0; i < Reads; i++)
        {
            int key = random.Next(keys.Count);
            Assert.Equal(BitConverter.GetBytes(key), cache.Get(keys[key]));
        }

        Assert.InRange(asked, 1, 1.2 * Reads);
    }

    public void Dispose() => _directory.Dispose();

    private static IEnumerable<int> Numbers() => Enumerable.Range(0, Count);

    private static void SetAll(FasterDistributedCache cache, string pattern)
    {
        foreach (var (i, key) in Makers[pattern]().Index()) cache.Set(key, BitConverter.GetBytes(i), BytesCache.ForEver);
    }

    /// <summary>
    /// The hash takes two bytes at a time: it multiplies by the factor and adds them. So one more in a word, and as much less as the factor in the next, changes nothing: each pair of words is a bit to choose.
    /// </summary>
    /// <param name="number">Which bits.</param>
    /// <param name="firstByte">How many bytes precede the key where it is stored, which shifts the words.</param>
    private static string EqualUnderFastersHash(int number, int firstByte)
    {
        byte[] bytes = new byte[(4 * Bits) + 4];
        Array.Fill(bytes, (byte)'k');
        for (int bit = 0; bit < Bits; bit++)
        {
            bool isSet = (number >> bit & 1) != 0;
            var words = bytes.AsSpan((4 * bit) + 2 - firstByte);
            MemoryMarshal.Write(words, (ushort)(isSet ? 101 : 100));
            MemoryMarshal.Write(words[2..], (ushort)(isSet ? 50_000 - Factor : 50_000));
        }

        return new string(MemoryMarshal.Cast<byte, char>(bytes));
    }

    private static ulong FastersHash(ReadOnlySpan<byte> bytes)
    {
        ulong hash = (ulong)bytes.Length;
        for (int i = 0; i + 1 < bytes.Length; i += 2) hash = (Factor * hash) + MemoryMarshal.Read<ushort>(bytes[i..]);
        if ((bytes.Length & 1) != 0) hash = (Factor * hash) + bytes[^1];
        return ulong.RotateRight(Factor * hash, 4);
    }
}
