using System.CommandLine;
using HybridCaching;
using static Samples.Shared.CommandLineParts;

namespace KeyMask;

/// <summary>Reads the command line.</summary>
internal static class CommandLine
{
    private const int MaxCount = 100_000_000;
    private const int MaxWorkers = 1024;

    private static readonly Option<int> Entries = Count("--count", 100_000, 1, MaxCount, "Entries to insert, overwrite and read");
    private static readonly Option<int> Masks = Count("--masks", 1_000, 0, MaxCount, "Masks to read by; each goes through all keys");
    private static readonly Option<int> Workers = Count("--workers", 50, 1, MaxWorkers, "Threads that share each test");
    private static readonly Option<ByteSize> Memory = Size("--memory", "128MB", "The memory budget of the cache");
    private static readonly Option<string> Directory = new("--directory") { HelpName = "dir", Description = "Where the disk tier is kept [default: cache/key-mask]" };
    private static readonly Option<bool> MemoryOnly = new("--memory-only") { Description = "No disk tier" };

    /// <summary>The options, or null when the command line asked for help or the version and got it.</summary>
    public static KeyMaskOptions? Parse(string[] args, out int exitCode)
    {
        var root = new RootCommand("Times inserting, overwriting, reading and reading by mask, and checks every value that is read.") { Entries, Masks, Workers, Memory, Directory, MemoryOnly };
        if (CommandLineParts.Parse(root, args, out exitCode) is not { } result) return null;
        ThrowOnErrors(result);
        return new KeyMaskOptions
        {
            Count = result.GetValue(Entries),
            Masks = result.GetValue(Masks),
            Workers = result.GetValue(Workers),
            MemoryBudget = result.GetValue(Memory),
            Directory = result.GetValue(MemoryOnly) ? null : FullPath("--directory", result.GetValue(Directory) ?? Path.Combine("cache", "key-mask")),
        };
    }
}
