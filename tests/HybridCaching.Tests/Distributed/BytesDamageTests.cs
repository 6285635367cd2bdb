using HybridCaching.Tests.Support;
using Microsoft.Extensions.Caching.Distributed;

namespace HybridCaching.Tests.Distributed;

/// <summary>A folder that was damaged, or written with other settings, or left by a crash: misses, perhaps all of them, but never a wrong value, an exception or a hang.</summary>
public sealed class BytesDamageTests(BytesFolder clean) : IClassFixture<BytesFolder>, IDisposable
{
    private const int Block = 4096;

    private readonly TestDirectory _directory = new();
    private readonly CollectingLoggerFactory _log = new();

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void Get_SomeBytesFlipped_KeepsTheHealthy(int seed)
    {
        DamageBlocks(clean.CopyTo(_directory), oneOf: 200, seed, static (block, random) => block[random.Next(block.Length)] ^= (byte)(1 << random.Next(8)));
        using var cache = Open();

        Assert.InRange(BytesFolder.ShareOfHits(cache), 0.8, 0.9999);
        Assert.InRange(cache.GetStatistics().CorruptEntries, 1, long.MaxValue);
        Assert.InRange(_log.Warnings.Count, 0, 1);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void Get_SomeBlocksZeroed_KeepsTheHealthy(int seed)
    {
        DamageBlocks(clean.CopyTo(_directory), oneOf: 200, seed, static (block, _) => block.Clear());
        using var cache = Open();

        Assert.InRange(BytesFolder.ShareOfHits(cache), 0.8, 0.9999);
    }

    [Fact]
    public void Get_SomeBlocksRandom_KeepsTheHealthy()
    {
        DamageBlocks(clean.CopyTo(_directory), oneOf: 200, seed: 3, static (block, random) => random.NextBytes(block));
        using var cache = Open();

        Assert.InRange(BytesFolder.ShareOfHits(cache), 0.8, 0.9999);
    }

    [Fact]
    public void Get_EveryBlockFlippedButTheLast_AnswersNothingWrong()
    {
        DamageBlocks(clean.CopyTo(_directory), oneOf: 1, seed: 4, static (block, random) => block[random.Next(block.Length)] ^= 1);
        using var cache = Open();

        Assert.InRange(BytesFolder.ShareOfHits(cache), 0, 0.3);
    }

    /// <summary>A deadline that slides is not part of a record's own check.</summary>
    [Fact]
    public void Get_DeadlinesOfSlidingEntriesAreDamaged_ExpiredOnesStayGone()
    {
        const int Keys = 60_000;
        var window = TimeSpan.FromHours(1);
        var clock = new ManualTimeProvider();
        byte[] deadline = BitConverter.GetBytes((clock.GetUtcNow() + window).UtcTicks);
        using (var cache = OpenAt(clock))
        {
            for (int i = 0; i < Keys; i++) cache.Set(BytesFolder.KeyOf(i), new byte[100], new DistributedCacheEntryOptions { SlidingExpiration = window });
        }

        int damaged = 0;
        DamageBlocks(BytesCache.FolderIn(_directory.Path), oneOf: 1, seed: 10, (block, _) =>
        {
            for (int at; (at = block.IndexOf(deadline)) >= 0; damaged++) block[at + sizeof(long) - 2]++;
        });
        Assert.InRange(damaged, Keys / 2, Keys);
        using var again = OpenAt(clock);
        for (int i = 0; i < Keys; i++) again.Get(BytesFolder.KeyOf((int)(i * 7919L % Keys))); // until it is known how short records are

        clock.Advance(2 * window);

        Assert.Equal(0, Enumerable.Range(0, Keys).Count(i => again.Get(BytesFolder.KeyOf((int)(i * 7919L % Keys))) is not null));

        FasterDistributedCache OpenAt(TimeProvider time) => Open(o => o.TimeProvider = time);
    }

    [Fact]
    public void Get_MiddleSegmentTruncated_KeepsTheHealthy()
    {
        var segments = BytesFolder.SegmentsIn(clean.CopyTo(_directory));
        string middle = segments[segments.Count / 4];
        byte[] bytes = File.ReadAllBytes(middle);
        File.WriteAllBytes(middle, bytes[..(bytes.Length / 2)]);
        using var cache = Open();

        Assert.InRange(BytesFolder.ShareOfHits(cache), 0.5, 0.9999);
    }

    [Theory]
    [InlineData("log-*")]
    [InlineData("index-*")]
    [InlineData("checksums")]
    [InlineData("manifest")]
    public void Open_FilesTruncated_AnswersNothingWrong(string pattern) => AssertNothingWrong(pattern, static bytes => bytes[..(bytes.Length / 2)]);

    [Theory]
    [InlineData("log-*")]
    [InlineData("index-*")]
    [InlineData("checksums")]
    [InlineData("manifest")]
    public void Open_FilesEmpty_AnswersNothingWrong(string pattern) => AssertNothingWrong(pattern, static _ => []);

    [Theory]
    [InlineData("log-*")]
    [InlineData("index-*")]
    [InlineData("checksums")]
    [InlineData("manifest")]
    public void Open_FilesZeroed_AnswersNothingWrong(string pattern) => AssertNothingWrong(pattern, static bytes => new byte[bytes.Length]);

    [Theory]
    [InlineData("log-*")]
    [InlineData("index-*")]
    [InlineData("checksums")]
    [InlineData("manifest")]
    public void Open_AFlippedBitIn4Kib_AnswersNothingWrong(string pattern) => AssertNothingWrong(pattern, static bytes =>
    {
        for (int i = bytes.Length / 2 % Block; i < bytes.Length; i += Block) bytes[i] ^= 4;
        return bytes;
    });

    /// <summary>The older version of a value, and pieces of it, are still in the log.</summary>
    [Fact]
    public void Get_OverwrittenBesideDamage_IsNeverTheOlder()
    {
        clean.CopyTo(_directory);
        using (var cache = Open())
        {
            for (int i = 0; i < BytesFolder.Entries; i++) BytesFolder.Set(cache, i, version: 5);
        }

        DamageBlocks(BytesCache.FolderIn(_directory.Path), oneOf: 10, seed: 5, static (block, _) => block.Clear());
        using var again = Open();

        Assert.InRange(BytesFolder.CountHits(again, _ => 5), BytesFolder.Entries / 4, BytesFolder.Entries - 1);
    }

    [Fact]
    public void Get_RemovedBesideDamage_StaysRemoved()
    {
        clean.CopyTo(_directory);
        using (var cache = Open())
        {
            for (int i = 0; i < BytesFolder.Entries; i++) cache.Remove(BytesFolder.KeyOf(i));
            cache.Push(16 << 20, round: 1);
        }

        DamageBlocks(BytesCache.FolderIn(_directory.Path), oneOf: 2, seed: 6, static (block, random) => random.NextBytes(block));
        using var again = Open();

        Assert.Equal(0, BytesFolder.CountHits(again, _ => null));
    }

    [Fact]
    public void Set_OverDamagedEntries_HealsThem()
    {
        DamageBlocks(clean.CopyTo(_directory), oneOf: 4, seed: 7, static (block, _) => block.Clear());
        using var cache = Open();

        for (int i = 0; i < BytesFolder.Entries; i++) BytesFolder.Set(cache, i, version: 5);

        Assert.InRange(BytesFolder.CountHits(cache, _ => 5), BytesFolder.Entries - 40, BytesFolder.Entries); // what shares a page with damage goes when that page is looked through
    }

    [Fact]
    public void Get_BlocksSwapped_AnswersNothingWrong()
    {
        string segment = BytesFolder.SegmentsIn(clean.CopyTo(_directory))[0];
        byte[] bytes = File.ReadAllBytes(segment);
        File.WriteAllBytes(segment, [.. bytes[Block..(2 * Block)], .. bytes[..Block], .. bytes[(2 * Block)..]]);
        using var cache = Open();

        Assert.InRange(BytesFolder.ShareOfHits(cache), 0.8, 1);
    }

    [Fact]
    public void Open_OtherSchemaVersion_IsColdAndWarnsOnce()
    {
        clean.CopyTo(_directory);
        using (var cache = Open(o => o.SchemaVersion = 1)) Assert.Equal(0, BytesFolder.ShareOfHits(cache));
        Assert.Contains("SchemaVersion", Assert.Single(_log.Warnings), StringComparison.Ordinal);

        using var back = Open();
        Assert.Equal(0, BytesFolder.ShareOfHits(back));
    }

    /// <summary>Cold or warm, but no exception, a warning if it is cold, and never a wrong value.</summary>
    [Theory]
    [InlineData(100, 1 << 20, "16MB", "64MB")]
    [InlineData(512, 1 << 20, "16MB", "64MB")]
    [InlineData(64 << 10, 1 << 20, "16MB", "64MB")]
    [InlineData(4096, 16 << 20, "64MB", "64MB")]
    [InlineData(4096, 10_000, "16MB", "64MB")]
    [InlineData(4096, 100, "16MB", "64MB")]
    [InlineData(4096, 1 << 20, "16MB", "32MB")]
    [InlineData(4096, 1 << 20, "16MB", "256MB")]
    [InlineData(4096, 1 << 20, "128MB", "64MB")]
    public void Open_OtherSettings_AnswersNothingWrong(int typical, int maximum, string memory, string disk)
    {
        clean.CopyTo(_directory);
        using var cache = Open(o => (o.TypicalEntryBytes, o.MaximumValueBytes, o.MemoryBudget, o.DiskBudget) = (typical, maximum, memory, disk));

        double hits = BytesFolder.ShareOfHits(cache);

        Assert.Equal(hits == 0 ? 1 : 0, _log.Warnings.Count);
        for (int i = 0; i < BytesFolder.Entries; i += 100) BytesFolder.Set(cache, i, version: 9);
        BytesFolder.CountHits(cache, number => number % 100 == 0 ? BytesFolder.ValueOf(number, 9).Length <= maximum ? 9 : null : number % 10 == 3 ? null : number % 10 == 7 ? 2 : 1);
        var usage = cache.GetMemoryUsage();
        Assert.InRange(usage.Total, 0, usage.Budget);
    }

    /// <summary>What a crash leaves behind.</summary>
    [Fact]
    public void Open_FilesOfACacheThatIsOpen_AnswersNothingOld()
    {
        using var elsewhere = new TestDirectory();
        clean.CopyTo(elsewhere);
        using var open = BytesCache.Open(elsewhere.Path);
        for (int i = 0; i < BytesFolder.Entries; i++)
        {
            if (i % 2 == 0) open.Remove(BytesFolder.KeyOf(i));
            else BytesFolder.Set(open, i, version: 6);
        }

        StampCache.Copy(BytesCache.FolderIn(elsewhere.Path), BytesCache.FolderIn(_directory.Path));
        using var cache = Open();

        BytesFolder.CountHits(cache, number => number % 2 == 0 ? null : 6);
        Assert.InRange(_log.Warnings.Count, 0, 1);
    }

    public void Dispose() => _directory.Dispose();

    private void AssertNothingWrong(string pattern, Func<byte[], byte[]> damage)
    {
        string folder = clean.CopyTo(_directory);
        string[] files = Directory.GetFiles(folder, pattern);
        Assert.NotEmpty(files);
        foreach (string file in files) File.WriteAllBytes(file, damage(File.ReadAllBytes(file)));

        using (var cache = Open())
        {
            BytesFolder.ShareOfHits(cache);
            BytesFolder.Set(cache, 0, version: 9);
            Assert.True(cache.Get(BytesFolder.KeyOf(0)).AsSpan().SequenceEqual(BytesFolder.ValueOf(0, 9)));
            Assert.InRange(_log.Warnings.Count, 0, 1);
        }

        using var again = Open();
        Assert.True(again.Get(BytesFolder.KeyOf(0)).AsSpan().SequenceEqual(BytesFolder.ValueOf(0, 9)), "what was stored after the damage is lost");
    }

    /// <summary>Damages some blocks, none of the last two of the log: a damaged end is a cold start.</summary>
    private static void DamageBlocks(string folder, int oneOf, int seed, DamageBlock damage)
    {
        var random = new Random(seed);
        var segments = BytesFolder.SegmentsIn(folder);
        Assert.NotEmpty(segments);
        foreach (string segment in segments)
        {
            byte[] bytes = File.ReadAllBytes(segment);
            int end = segment == segments[^1] ? bytes.Length - (2 * Block) : bytes.Length;
            for (int block = 0; block + Block <= end; block += Block)
            {
                if (random.Next(oneOf) == 0) damage(bytes.AsSpan(block, Block), random);
            }

            File.WriteAllBytes(segment, bytes);
        }
    }

    private FasterDistributedCache Open(Action<FasterDistributedCacheOptions>? change = null) => BytesCache.Open(_directory.Path, change: change, log: _log);

    private delegate void DamageBlock(Span<byte> block, Random random);
}
