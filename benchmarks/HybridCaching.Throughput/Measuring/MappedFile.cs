using System.Globalization;
using HybridCaching.Throughput.Native;

namespace HybridCaching.Throughput.Measuring;

/// <summary>A part of a file that this process has mapped into its memory.</summary>
internal sealed record MappedFile(string Path, long Address, long Length, long FileOffset)
{
    private const int FieldsBeforePath = 5;

    public static IReadOnlyList<MappedFile> AllIn(string folder) => [.. File.ReadLines("/proc/self/maps").Where(line => line.Contains(folder, StringComparison.Ordinal)).Select(Parse)];

    /// <summary>Takes pages of the file out of the mapping, and out of the page cache.</summary>
    public void PageOut(long offset, long length)
    {
        long from = Math.Max(offset, FileOffset);
        long to = Math.Min(offset + length, FileOffset + Length);
        if (from < to) PageCacheImports.AdviseMemory((nint)(Address + from - FileOffset), (nuint)(to - from), PageCacheImports.PageOut);
    }

    /// <summary>Nothing is read ahead of what is asked for.</summary>
    public void DeclareRandom() => PageCacheImports.AdviseMemory((nint)Address, (nuint)Length, PageCacheImports.Random);

    // "7f0000000000-7f0000001000 r--s 00000000 fe:00 1234    /folder/file"
    private static MappedFile Parse(string line)
    {
        string[] fields = line.Split(' ', FieldsBeforePath + 1, StringSplitOptions.RemoveEmptyEntries);
        long[] range = [.. fields[0].Split('-').Select(Hexadecimal)];
        return new MappedFile(fields[FieldsBeforePath].TrimStart(), range[0], range[1] - range[0], Hexadecimal(fields[2]));
    }

    private static long Hexadecimal(string text) => long.Parse(text, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture);
}
