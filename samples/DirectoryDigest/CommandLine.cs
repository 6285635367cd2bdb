using System.CommandLine;
using System.Runtime.InteropServices;
using HybridCaching;
using static Samples.Shared.CommandLineParts;

namespace DirectoryDigest;

/// <summary>Reads the command line. Anything wrong with it becomes one <see cref="CannotStartException"/>.</summary>
internal static class CommandLine
{
    private const int MinChunkBytes = 64;
    private const int MaxChunkBytes = 16 << 20;
    private const int MaxThreads = 1024;
    private const int MaxVerifyCount = 1_000_000;

    private static readonly Argument<string> Directory = new("directory")
    {
        Description = "The directory to digest [default: the folder of the .NET installation]",
        Arity = ArgumentArity.ZeroOrOne,
    };

    private static readonly Option<ByteSize> Chunk = Size("--chunk", "512", $"Bytes per chunk, {MinChunkBytes} to {new ByteSize(MaxChunkBytes)}");
    private static readonly Option<ByteSize> Memory = Size("--memory", "32MB", "The memory budget of the cache");
    private static readonly Option<ByteSize> Disk = Size("--disk", "1GB", "The disk budget of the cache");
    private static readonly Option<string> Cache = new("--cache") { HelpName = "dir", Description = "Where the digests are kept [default: cache/directory-digest]" };
    private static readonly Option<int> Threads = Count("--threads", Environment.ProcessorCount, 1, MaxThreads, "Threads that digest");
    private static readonly Option<int> Verify = Count("--verify", 1000, 0, MaxVerifyCount, "Warm digests to recompute and compare");
    private static readonly Option<bool> Cold = new("--cold") { Description = "Forget earlier digests first" };

    /// <summary>The options, or null when the command line asked for help or the version and got it.</summary>
    public static DigestOptions? Parse(string[] args, out int exitCode)
    {
        var root = new RootCommand("Digests a directory in chunks (SHA-256) and counts duplicates. Digests are cached: what has not changed is not read again on the next run.")
        {
            Directory, Chunk, Memory, Disk, Cache, Threads, Verify, Cold,
        };
        if (CommandLineParts.Parse(root, args, out exitCode) is not { } result) return null;

        // An unknown option is parsed as the directory, and then blamed on whatever follows it.
        string? directory = result.GetResult(Directory)?.Tokens.FirstOrDefault()?.Value;
        if (directory?.StartsWith('-') == true) throw new CannotStartException($"unknown option '{directory}'; --help lists the options");
        ThrowOnErrors(result);

        long chunkBytes = result.GetValue(Chunk).Bytes;
        if (chunkBytes is < MinChunkBytes or > MaxChunkBytes)
            throw new CannotStartException($"--chunk '{result.GetValue(Chunk)}' is not from {MinChunkBytes} to {new ByteSize(MaxChunkBytes)}");

        return new DigestOptions
        {
            Directory = ExistingDirectory(directory ?? DotnetRoot()),
            CacheDirectory = FullPath("--cache", result.GetValue(Cache) ?? Path.Combine("cache", "directory-digest")),
            ChunkBytes = (int)chunkBytes,
            MemoryBudget = result.GetValue(Memory),
            DiskBudget = result.GetValue(Disk),
            Threads = result.GetValue(Threads),
            VerifyCount = result.GetValue(Verify),
            StartCold = result.GetValue(Cold),
        };
    }

    private static string ExistingDirectory(string path)
    {
        string full = FullPath("directory", path);
        return System.IO.Directory.Exists(full) ? full : throw new CannotStartException($"there is no directory '{path}'");
    }

    /// <summary>The folder above <c>shared/Microsoft.NETCore.App/version</c>; the runtime's own folder where an application carries its runtime with it.</summary>
    private static string DotnetRoot()
    {
        string runtime = RuntimeEnvironment.GetRuntimeDirectory();
        for (var folder = new DirectoryInfo(runtime); folder is not null; folder = folder.Parent)
        {
            if (folder.Name == "shared" && folder.Parent is { } root) return root.FullName;
        }

        return runtime;
    }
}
