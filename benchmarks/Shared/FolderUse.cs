using System.Runtime.InteropServices;

namespace HybridCaching.Benchmarks.Shared;

/// <summary>What a folder and the files in it take: blocks on the disk, and the lengths that the files have.</summary>
internal static partial class FolderUse
{
    private const int BlockUnit = 512;
    private const int CurrentFolder = -100;
    private const uint SizeAndBlocks = 0x600;
    private const int SizeOffset = 40;
    private const int BlocksOffset = 48;
    private const int AnswerBytes = 256;

    /// <summary>The larger of both sums. Files that go meanwhile are gone.</summary>
    public static long Of(string folder)
    {
        var (lengths, blocks) = OfOne(folder);
        foreach (string file in Directory.EnumerateFiles(folder, "*", SearchOption.AllDirectories))
        {
            var (length, taken) = OfOne(file);
            lengths += length;
            blocks += taken;
        }

        return Math.Max(lengths, blocks);
    }

    private static unsafe (long Length, long Blocks) OfOne(string path)
    {
        if (!OperatingSystem.IsLinux())
        {
            var file = new FileInfo(path);
            return file.Exists ? (file.Length, 0) : default;
        }

        byte* answer = stackalloc byte[AnswerBytes];
        return StatX(CurrentFolder, path, flags: 0, SizeAndBlocks, answer) == 0 ? (*(long*)(answer + SizeOffset), BlockUnit * *(long*)(answer + BlocksOffset)) : default;
    }

    [LibraryImport("libc", EntryPoint = "statx", StringMarshalling = StringMarshalling.Utf8)]
    private static unsafe partial int StatX(int folder, string path, int flags, uint mask, byte* answer);
}
