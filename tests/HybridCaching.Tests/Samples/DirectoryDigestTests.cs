namespace HybridCaching.Tests.Samples;

/// <summary>Runs the sample as a user does, on a small directory of its own.</summary>
public sealed class DirectoryDigestTests : IDisposable
{
    private const int ChunkBytes = 512;

    // The ends of chunks and what surrounds them; an empty file has no chunk.
    private static readonly int[] FileLengths = [0, 1, 511, 512, 513, 5000, 40_000];

    private static readonly int ChunkCount = FileLengths.Sum(ChunksOf);

    private readonly string _root = Directory.CreateTempSubdirectory("directory-digest-").FullName;

    public DirectoryDigestTests()
    {
        Directory.CreateDirectory(Path.Combine(Files, "folder"));
        var random = new Random(1);
        foreach (int length in FileLengths)
        {
            byte[] bytes = new byte[length];
            random.NextBytes(bytes);
            File.WriteAllBytes(FileOf(length), bytes);
        }
    }

    private DateTime _written;
    private int _writes;

    private string Files => Path.Combine(_root, "files");

    public void Dispose() => Directory.Delete(_root, recursive: true);

    [Fact]
    public async Task Run_NewCache_IsCold()
    {
        var run = await RunAsync();

        Assert.Equal(0, run.ExitCode);
        Assert.Contains("This was a cold run", run.Output);
        Assert.Equal(ChunkCount, run.Figure("misses"));
    }

    [Fact]
    public async Task Run_NewCache_CountsWhatIsThere()
    {
        var run = await RunAsync();

        Assert.Equal(
            (FileLengths.Length, ChunkCount, FileLengths.Sum()),
            (run.Figure("files"), run.Figure("chunks"), run.Figure("bytes")));
    }

    [Fact]
    public async Task Run_OutputRedirected_WritesNoControlCodes()
    {
        var run = await RunAsync();

        Assert.DoesNotContain('\e', run.Output);
    }

    [Fact]
    public async Task Run_SecondTime_IsWarmAndSaysHowMuchFaster()
    {
        await RunAsync();

        var run = await RunAsync();

        Assert.Equal(0, run.ExitCode);
        Assert.Contains($"This was a warm run: all {ChunkCount} chunks were known", run.Output);
        Assert.Contains("times as fast as the cold run", run.Output);
    }

    [Fact]
    public async Task Run_SecondTime_FindsEveryChunkInTheCache()
    {
        await RunAsync();

        var run = await RunAsync();

        Assert.Equal(0, run.Figure("misses"));
        Assert.Equal(ChunkCount, run.Figure("hits from memory") + run.Figure("hits from disk"));
    }

    [Fact]
    public async Task Run_SecondTime_RecomputesASample()
    {
        await RunAsync();

        var run = await RunAsync("--verify", "5");

        Assert.Equal(5, run.Figure("warm digests recomputed, differing"));
    }

    [Fact]
    public async Task Run_ChangedFile_DigestsItAgain()
    {
        await RunAsync();
        File.WriteAllBytes(FileOf(5000), new byte[5000]);
        File.SetLastWriteTimeUtc(FileOf(5000), File.GetLastWriteTimeUtc(FileOf(511)).AddSeconds(1));

        var run = await RunAsync();

        Assert.Equal(0, run.ExitCode);
        Assert.Contains("This was a partly warm run", run.Output);
        Assert.Equal(ChunksOf(5000), run.Figure("misses"));
    }

    [Fact]
    public async Task Run_AnotherChunkSize_IsCold()
    {
        await RunAsync();

        var run = await RunAsync("--chunk", "1KB");

        Assert.Contains("This was a cold run", run.Output);
    }

    [Fact]
    public async Task Run_ColdOption_ForgetsEarlierDigests()
    {
        await RunAsync();

        var run = await RunAsync("--cold");

        Assert.Contains("This was a cold run", run.Output);
    }

    [Fact]
    public async Task Run_IdenticalFiles_CountsDuplicateChunks()
    {
        File.Copy(FileOf(5000), Path.Combine(Files, "copy"));

        var run = await RunAsync();

        Assert.Equal(ChunksOf(5000), run.Figure("duplicate chunks found"));
    }

    [Fact]
    public async Task Run_ContentChangedBehindLengthAndTime_FailsAndNamesTheFile()
    {
        await RunAsync();
        string path = FileOf(513);
        var modified = File.GetLastWriteTimeUtc(path);
        byte[] bytes = File.ReadAllBytes(path);
        bytes[512] ^= 1;
        File.WriteAllBytes(path, bytes);
        File.SetLastWriteTimeUtc(path, modified);

        var run = await RunAsync();

        Assert.Equal(1, run.ExitCode);
        Assert.StartsWith($"digest differs: {path} chunk 1:", Assert.Single(run.ErrorLines), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Run_DamagedNoteOfTheColdRun_IsWarmWithoutComparison()
    {
        await RunAsync();
        File.WriteAllText(Path.Combine(_root, "cache", "last-cold-run.json"), "{");

        var run = await RunAsync();

        Assert.Equal(0, run.ExitCode);
        Assert.Contains("no cold run of the same work is on record", run.Output);
    }

    /// <summary>The files are larger than what is digested before the kill; they are of zeros that take no room.</summary>
    [Fact]
    public async Task Run_KilledHalfWay_IsWarmOnTheNextRun()
    {
        const int Megabytes = 64, Count = 40, ChunksOfFile = (Megabytes << 20) / 4096;
        string many = Path.Combine(_root, "many");
        Directory.CreateDirectory(many);
        for (int i = 0; i < Count; i++)
        {
            using var stream = File.Create(Path.Combine(many, $"{i:D2}.bin"));
            stream.SetLength((long)Megabytes << 20);
        }

        string cache = Path.Combine(_root, "cache");
        string[] arguments = [many, "--cache", cache, "--threads", "1", "--chunk", "4096", "--verify", "0"];
        SampleProcess.RunUntil("DirectoryDigest", _root, () => WritesTo(Path.Combine(cache, "digests")), arguments);

        var run = await RunWithAsync(arguments);

        Assert.InRange(run.Figure("hits from memory") + run.Figure("hits from disk"), ChunksOfFile, Count * ChunksOfFile);
    }

    [Fact]
    public async Task Run_CacheInsideTheDirectory_DigestsOnlyTheFiles()
    {
        string[] arguments = [Files, "--cache", Path.Combine(Files, "cache")];
        await RunWithAsync(arguments);

        var run = await RunWithAsync(arguments);

        Assert.Equal(ChunkCount, run.Figure("chunks"));
    }

    [Fact]
    public async Task Run_Help_ListsTheOptions()
    {
        var run = await RunAsync("--help");

        Assert.Equal(0, run.ExitCode);
        Assert.Contains("--chunk", run.Output);
    }

    [Fact]
    public async Task Run_UnknownOption_IsRefusedInOneLine() => AssertRefused(await RunWithAsync("--chnk", "512"), "--chnk");

    [Fact]
    public async Task Run_UnknownOptionAfterTheDirectory_IsRefusedInOneLine() => AssertRefused(await RunAsync("--chnk"), "--chnk");

    [Fact]
    public async Task Run_SizeThatIsNone_IsRefusedInOneLine() => AssertRefused(await RunAsync("--chunk", "many"), "--chunk 'many'");

    [Fact]
    public async Task Run_NumberOutOfRange_IsRefusedInOneLine() => AssertRefused(await RunAsync("--threads", "0"), "--threads '0'");

    [Fact]
    public async Task Run_MissingDirectory_IsRefusedInOneLine() => AssertRefused(await RunWithAsync("nowhere"), "'nowhere'");

    [Fact]
    public async Task Run_MemoryBudgetTooSmall_IsRefusedInOneLine() => AssertRefused(await RunAsync("--memory", "1MB"), "1MB");

    /// <summary>Whether segments were written to three times, each half a second after the one before at least: when the first was created, then once in a second. What was written the second time is led to by the third.</summary>
    private bool WritesTo(string folder)
    {
        var written = Directory.Exists(folder) ? Directory.EnumerateFiles(folder, "log-*").Select(File.GetLastWriteTimeUtc).DefaultIfEmpty().Max() : default;
        if (written - _written < TimeSpan.FromSeconds(0.5)) return false;
        _written = written;
        return ++_writes > 2;
    }

    private static int ChunksOf(int length) => (length + ChunkBytes - 1) / ChunkBytes;

    private static void AssertRefused(SampleProcess run, string named)
    {
        Assert.Equal(2, run.ExitCode);
        Assert.Contains(named, Assert.Single(run.ErrorLines), StringComparison.Ordinal);
    }

    private string FileOf(int length) => Path.Combine(Files, length > 512 ? "folder" : "", $"{length}.bin");

    private Task<SampleProcess> RunAsync(params string[] options) => RunWithAsync([Files, "--cache", Path.Combine(_root, "cache"), .. options]);

    private Task<SampleProcess> RunWithAsync(params string[] arguments) => SampleProcess.RunAsync("DirectoryDigest", _root, arguments);
}
