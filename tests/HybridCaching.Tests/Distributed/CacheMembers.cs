using System.Buffers;
using Microsoft.Extensions.Caching.Distributed;

namespace HybridCaching.Tests.Distributed;

/// <summary>Calls the member that a theory names.</summary>
internal static class CacheMembers
{
    public static readonly SetMember[] Setters = Enum.GetValues<SetMember>();

    public static readonly GetMember[] Getters = Enum.GetValues<GetMember>();

    /// <summary>Every setter with every getter.</summary>
    public static IEnumerable<(SetMember Set, GetMember Get)> Pairs => from set in Setters from get in Getters select (set, get);

    public static async Task StoreAsync(this FasterDistributedCache cache, SetMember member, string key, byte[] value, DistributedCacheEntryOptions? options = null, CancellationToken token = default)
    {
        options ??= new DistributedCacheEntryOptions();
        switch (member)
        {
            case SetMember.Set:
                cache.Set(key, value, options);
                break;
            case SetMember.SetAsync:
                await cache.SetAsync(key, value, options, token);
                break;
            case SetMember.SetSequence:
                cache.Set(key, new ReadOnlySequence<byte>(value), options);
                break;
            case SetMember.SetSequenceAsync:
                await cache.SetAsync(key, new ReadOnlySequence<byte>(value), options, token);
                break;
            default:
                throw new ArgumentOutOfRangeException(nameof(member));
        }
    }

    /// <summary>The value, or null for a miss. Fails if a miss writes or gives a length.</summary>
    public static async Task<byte[]?> ReadAsync(this FasterDistributedCache cache, GetMember member, string key, CancellationToken token = default)
    {
        var writer = new ArrayBufferWriter<byte>();
        switch (member)
        {
            case GetMember.Get:
                return cache.Get(key);
            case GetMember.GetAsync:
                return await cache.GetAsync(key, token);
            case GetMember.TryGetWriter:
                return Written(cache.TryGet(key, writer), writer);
            case GetMember.TryGetWriterAsync:
                return Written(await cache.TryGetAsync(key, writer, token), writer);
            case GetMember.TryGetSpan:
                return ReadSpan(cache, key);
            default:
                throw new ArgumentOutOfRangeException(nameof(member));
        }
    }

    private static byte[]? Written(bool found, ArrayBufferWriter<byte> writer)
    {
        if (found) return writer.WrittenSpan.ToArray();
        Assert.Equal(0, writer.WrittenCount);
        return null;
    }

    private static byte[]? ReadSpan(FasterDistributedCache cache, string key)
    {
        if (!cache.TryGet(key, [], out int length))
        {
            Assert.Equal(0, length);
            return null;
        }

        byte[] value = new byte[length];
        Assert.True(cache.TryGet(key, value, out int again));
        Assert.Equal(length, again);
        return value;
    }
}
